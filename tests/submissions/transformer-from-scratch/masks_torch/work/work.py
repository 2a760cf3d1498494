import numpy as np


import torch


def make_src_mask(ids, pad_id):
    ids = torch.as_tensor(ids)
    return (ids != pad_id).unsqueeze(1).unsqueeze(2)


def make_tgt_mask(ids, pad_id):
    ids = torch.as_tensor(ids)
    n = ids.shape[-1]
    return (ids != pad_id).unsqueeze(1).unsqueeze(2) & torch.tril(torch.ones(n, n)).bool()
