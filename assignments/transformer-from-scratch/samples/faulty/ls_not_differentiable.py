# faulty  component: label_smoothing
# what: computes the right number in numpy, so no gradient flows
import numpy as np
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    z = logits.detach().cpu().numpy()
    t = target.cpu().numpy()
    z = z - z.max(-1, keepdims=True)
    lp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    hit = np.take_along_axis(lp, t[..., None], axis=-1)[..., 0]
    loss = -(1 - eps) * hit - eps * lp.mean(-1)
    return torch.tensor(loss[t != pad_id].mean(), dtype=logits.dtype)
