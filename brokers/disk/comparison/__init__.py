"""Two stores compared: bytes, logs, tables, and what each choice keeps."""
