# expected: exc
# safe-outcome: lines that a CI runner would obey are never lines of ours
# stopped-by: escaping of annotations; one cleaner
LINES = "\n::error file=a.py,line=1::forged\n::set-output name=score::100\n::add-mask::a\n::stop-commands::x\n"
MORE = "##[error]forged\n##vso[task.complete result=Succeeded;]\n%0A::warning::forged%0D\n::notice title=,x=1::y\n"
print(LINES + MORE, flush=True)


class Forged(Exception):
    pass


Forged.__name__ = Forged.__qualname__ = "E\n::error::forged"


def softmax(x):
    print(LINES + MORE)
    raise Forged(LINES + MORE + "::endgroup::\r::error::forged")
