# kind: session
# expected: fail|exc|protocol|crash|timeout
# safe-outcome: answers held back in the first form and sent in the second one are answers to nothing
# stopped-by: a nonce for each
import os


real, held, sent = os.write, [], []


def write(fd, data):
    if fd == 3 and HINTS["variant"] % 2 and not sent:
        sent.append(1)
        held.append(bytes(data))
        return len(data)
    if fd == 3 and held:
        real(3, held.pop())
    if fd == 3 and HINTS["variant"] > 3:
        return real(fd, bytes(data)[: max(1, len(data) // 2)])
    return real(fd, data)


os.write = write
