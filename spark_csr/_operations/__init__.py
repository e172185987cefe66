"""What one does with a CSR matrix, written once for every device: no kernel lives here."""
