"""Bridges to other libraries, one for each; a library is imported only with its bridge."""
