"""Compiles litmus kernels, runs them under ScopeSan and writes down what happened."""
