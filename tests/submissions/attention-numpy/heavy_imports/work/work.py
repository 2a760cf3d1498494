import numpy as np, pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
from einops import rearrange, einsum as esum
from sklearn.metrics import accuracy_score
import tensorflow as tf
from transformers import AutoModel
from matplotlib import cm, rcParams
from mpl_toolkits.mplot3d import Axes3D
plt.rcParams['figure.figsize'] = (8, 6)
plt.style.use('ggplot')
sns.set_theme()


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights


def plot(w):
    fig, ax = plt.subplots()
    ax.imshow(w, cmap=cm.viridis)
    plt.colorbar()
    plt.show()

plot(softmax(np.eye(3)))
df = pd.DataFrame({'a': [1, 2]})
print(df.head())
