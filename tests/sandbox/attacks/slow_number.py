# expected: timeout|exc
# safe-outcome: one arithmetic operation that takes for ever is ended from outside
# stopped-by: SIGKILL
def softmax(x):
    return (7 ** (10**8)) % 10 + float(str(3 ** (10**7))[0])
