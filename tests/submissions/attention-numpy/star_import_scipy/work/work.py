from numpy import *
from pylab import *
from matplotlib.pyplot import *


def softmax(x):
    e = exp(x - amax(x, axis=-1, keepdims=True))
    return e / sum(e, axis=-1, keepdims=True)


def self_attention(Q, K, V):
    w = softmax(dot(Q, K.T) / sqrt(Q.shape[1]))
    return dot(w, V), w

figure()
plot([1,2])
show()
