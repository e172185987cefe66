"""Check that every link between built pages leads somewhere: `python .ci/links.py FOLDER`.

Addresses outside of the pages are left to `sphinx -b linkcheck`, which needs the network.
"""

import pathlib
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page that links may lead to, and its links."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


def dead_links(folder):
    """Yield each page and its links that lead nowhere."""
    written = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): Page(path) for path in written}
    if not pages:
        sys.exit(f"{folder} has no pages")
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = there / "index.html" if there.is_dir() else there
            place = unquote(parts.fragment)
            if not there.exists() or (place and there in pages and place not in pages[there].places):
                yield path.relative_to(folder.resolve()), link


if __name__ == "__main__":
    found = [f"{path}: {link}" for path, link in dead_links(pathlib.Path(sys.argv[1]))]
    print(*found, f"{len(found)} dead links", sep="\n")
    sys.exit(bool(found))
