# expected: timeout
# safe-outcome: a time-out, whatever is caught, ignored or masked
# stopped-by: deadline in the grader; SIGKILL by pidfd
import signal


def softmax(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
