"""Builds the test programs, runs them under ScopeSan and compares the reports with their headers."""
