"""Sources of a report (Markdown, LaTeX, Word, notebook, HTML) as blocks of text, formulas and diagrams."""
