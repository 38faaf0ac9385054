"""Tests of the harness; `harness_test.py` beside this folder runs them."""
