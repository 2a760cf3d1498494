# expected: exc|crash|timeout|protocol
# safe-outcome: groups, chains and notes of exceptions, also circular ones, end in one short verdict
# stopped-by: only type, message and own frames are read
def softmax(x):
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    first.__context__ = second
    group = BaseExceptionGroup("g" * 100_000, [first, SystemExit(0), KeyboardInterrupt(), GeneratorExit()])
    for _ in range(100):
        group = BaseExceptionGroup("g", [group] * 2)
    group.add_note("\x1b[31m" * 10_000)
    group.__notes__ = group
    raise group
