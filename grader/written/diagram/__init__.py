"""Diagrams that are handed in as text (Mermaid), judged as graphs."""
