"""Builds the test programs, runs them under ScopeSan and checks the reports."""
