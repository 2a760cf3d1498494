# expected: exc|crash|timeout
# safe-outcome: memory by many small objects ends in the child
# stopped-by: RLIMIT_AS; memory cgroup
def softmax(x):
    held = []
    while True:
        held.append({"a": [len(held)], "b": str(len(held))})
