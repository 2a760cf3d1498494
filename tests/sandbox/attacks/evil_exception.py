# expected: exc|crash|protocol
# safe-outcome: an exception whose class and traceback lie ends in a short verdict
# stopped-by: nothing of it is believed; everything is cut
class Meta(type):
    def __getattribute__(cls, name):
        raise SystemExit

    def __instancecheck__(cls, instance):
        raise SystemExit


class Evil(BaseException, metaclass=Meta):
    def __getattribute__(self, name):
        raise SystemExit

    __traceback__ = property(lambda self: 1 / 0)


def softmax(x):
    raise Evil
