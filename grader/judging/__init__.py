"""What a student's function answered: asked for, compared with the oracle, explained. Start at ``judge.py``."""
