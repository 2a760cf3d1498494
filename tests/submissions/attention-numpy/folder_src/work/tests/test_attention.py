from src.attention import *
import pytest

def test_a():
    assert 1
