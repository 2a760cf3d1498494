# expected: fail|exc|crash|timeout|protocol
# safe-outcome: a timer that raises in the child's own code costs only this submission
# stopped-by: own process; no answer is no pass
import signal


def burst(number, frame):
    raise KeyboardInterrupt("::error::from a timer")


signal.signal(signal.SIGALRM, burst)
signal.signal(signal.SIGPROF, burst)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
signal.setitimer(signal.ITIMER_PROF, 0.0005, 0.0005)
