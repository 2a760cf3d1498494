# kind: session
# expected: fail|exc|timeout|crash
# safe-outcome: a form that cannot be taken away costs its child and no other
# stopped-by: a fresh child where the next form does not load
import sys
import time


class Finder:
    def find_spec(self, name, path=None, target=None):
        return None

    def __eq__(self, other):
        if HINTS["variant"] == 0:
            return True
        if HINTS["variant"] == 1:
            raise KeyboardInterrupt
        if HINTS["variant"] == 2:
            sys.meta_path.clear()
            return False
        while HINTS["variant"] == 3:
            time.sleep(1)
        sys.exit(0)

    __hash__ = None


sys.meta_path.insert(0, Finder())
