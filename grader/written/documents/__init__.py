"""Documents of many formats, read by pandoc in a confined child, as blocks."""
