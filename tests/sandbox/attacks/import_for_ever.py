# expected: timeout
# safe-outcome: an import that does not end is a load that took too long
# stopped-by: deadline of the load
import time

try:
    while True:
        time.sleep(0.01)
except BaseException:
    while True:
        pass
