"""Written work: formulas, short answers, numbers, documents, and the keys they are read against."""
