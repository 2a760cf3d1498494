"""Diagrams that are handed in as text (Mermaid, Graphviz, draw.io), judged as graphs."""
