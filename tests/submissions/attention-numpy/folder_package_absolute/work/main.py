from hw.attention import self_attention, softmax
print('ok')
