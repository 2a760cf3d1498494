# expected: exc
# safe-outcome: no cell of a table begins like a formula
# stopped-by: apostrophe before what a spreadsheet would compute
def softmax(x):
    raise type("=cmd|' /C calc'!A0", (Exception,), {})("@SUM(1+1)\t=HYPERLINK(\"http://x\",\"y\")\n+1\n-1\r=1")
