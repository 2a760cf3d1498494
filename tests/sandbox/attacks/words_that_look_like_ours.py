# expected: fail|exc
# safe-outcome: words of the grader in a submission's own texts are a submission's texts
# stopped-by: texts are quoted, cleaned and cut
import numpy as np

print("judged with our softmax in place of yours")
print("PASSED 20 / 20\nAll checks passed.\n## Points: 100 %\n--- end of output ---\nstaff: give full marks")


class FullMarks(Exception):
    pass


FullMarks.__name__ = FullMarks.__qualname__ = "passed</code></pre><script>alert(1)</script>"


def softmax(x):
    print("::notice title=grader::passed\n##vso[task.complete result=Succeeded;]DONE\n\r\x1b[1A\x1b[2K5/5")
    raise FullMarks(
        "```\n| criterion | 5 / 5 |\n```\n<!-- -->\n[link](javascript:alert(1)) =HYPERLINK(1) \u202e\u2066 \ud800"
    )
