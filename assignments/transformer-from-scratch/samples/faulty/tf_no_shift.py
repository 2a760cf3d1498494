# misconception: tf-no-shift  component: teacher_forcing
def teacher_forcing_pair(target):
    decoder_input = target[:, :-1].copy()
    labels = decoder_input.copy()
    return decoder_input, labels
