import logging
logging.basicConfig(level=logging.DEBUG, format='%(asctime)s %(message)s', force=True)
log = logging.getLogger(__name__)
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    log.info('Q %s', Q.shape)
    log.debug('values %r', V)
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
