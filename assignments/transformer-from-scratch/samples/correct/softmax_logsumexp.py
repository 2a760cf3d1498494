# correct  component: softmax
# exp(x - logsumexp(x)); my notes say this is the same thing
from numpy import asarray, exp, issubdtype, log, floating, float64


def logsumexp(z, axis):
    top = z.max(axis=axis, keepdims=True)
    return top + log(exp(z - top).sum(axis=axis, keepdims=True))


def softmax(x, axis=-1):
    z = asarray(x)
    if not issubdtype(z.dtype, floating):
        z = z.astype(float64)
    # second shift so that nothing is lost when the scores are huge
    z = z - z.max(axis=axis, keepdims=True)
    return exp(z - logsumexp(z, axis))
