"""Tables and pictures in HTML."""

import xml.etree.ElementTree

from spark_csr import _html


def test_text_is_escaped():
    text = _html.table("<b>", [("a & b", "1 < 2")])
    root = xml.etree.ElementTree.fromstring(text)
    assert "".join(root.itertext()) == "<b>a & b1 < 2"


def test_pictures():
    root = xml.etree.ElementTree.fromstring(_html.pattern([[1, 1, 0], [0, 0, 16]], (2, 3)))
    light, dark = root.findall("path")
    assert light.get("d") == "M0 0h2v1h-2z"
    assert dark.get("d") == "M2 1h1v1h-1z"
    assert float(light.get("fill-opacity")) < float(dark.get("fill-opacity")) == 1
    assert (root.get("width"), root.get("height")) == ("140", "93")


def test_long_matrices_keep_a_least_width():
    root = xml.etree.ElementTree.fromstring(_html.pattern([[0]], (10**9, 1)))
    assert (root.get("width"), root.get("height")) == ("35", "140")
    assert root.findall("path") == []


def test_sizes():
    assert [_html.bytes_as_text(n) for n in (0, 1023, 1536, 5 << 40)] == ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 TiB"]
