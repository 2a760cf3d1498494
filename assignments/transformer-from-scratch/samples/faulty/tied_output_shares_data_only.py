# faulty  component: weight_tying
# what: assigns .data, so two parameters exist that share memory only until the module is moved
from torch import nn

class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.out = nn.Linear(d_model, vocab, bias=False)
        self.out.weight.data = self.embed.weight.data
    def forward(self, ids):
        return self.out(self.embed(ids))
