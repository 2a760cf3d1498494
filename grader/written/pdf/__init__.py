"""PDF files of strangers, parsed in a limited child process."""
