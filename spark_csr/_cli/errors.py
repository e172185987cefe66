"""Errors of commands: bad input, and devices that do not exist."""

from spark_csr._array import parse_device


class CommandError(Exception):
    """Bad input: its message is printed as one line, and the exit status is 2."""


def check_device(device):
    """Return `device`; raise a `CommandError` if there is no such device."""
    try:
        parse_device(device)
    except (ValueError, RuntimeError) as error:
        raise CommandError(f"--device {device}: {one_line(error)}") from None
    return device


def one_line(error):
    """Return the message of an exception without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
