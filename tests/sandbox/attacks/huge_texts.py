# expected: exc|fail|crash|protocol
# safe-outcome: long texts, quotes without number and lone surrogates end in a short verdict
# stopped-by: caps on the tree; cleaned texts
def softmax(x):
    return (
        "x" * (80 << 20),
        '"\\' * 600_000,
        "\ud800" * 300_000,
        ["\u202e" + "a" * 1000] * 500,
        {"\x1b[31m" * 100: 1.0, "::error::": "\r\n"},
        "\0" * 500_000,
    )[HINTS["variant"]]
