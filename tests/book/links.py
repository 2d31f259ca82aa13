#!/usr/bin/env python3
"""Every link and anchor of a folder of pages: does it lead somewhere, and nowhere outside but by https?

    links.py FOLDER      exit 0, or 1 and a line for each link that does not
"""
import pathlib
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.twice = path, set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                if value in self.ids:
                    self.twice.append((self.getpos()[0], value))
                self.ids.add(value)
            if name in ("href", "src", "xlink:href"):
                self.links.append((self.getpos()[0], value or "", tag))


def complaint(page, link, tag, pages):
    """What is wrong with a link, or None."""
    parts = urlsplit(link)
    if parts.scheme:
        return None if parts.scheme == "https" and tag == "a" else "leads outside the book"
    target = page.path if not parts.path else (page.path.parent / unquote(parts.path)).resolve()
    if not target.exists():
        return "leads to nothing"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        return "leads to no place on that page"
    return None


def main(folder):
    paths = sorted(path.resolve() for path in pathlib.Path(folder).glob("*.html"))
    pages = {path: Page(path) for path in paths}
    bad = []
    for page in pages.values():
        bad += [f"{page.path.name}:{line}: the id {name} stands twice" for line, name in page.twice]
        for line, link, tag in page.links:
            why = complaint(page, link, tag, pages)
            if why:
                bad.append(f"{page.path.name}:{line}: {link} {why}")
    print("\n".join(bad) or f"{sum(len(page.links) for page in pages.values())} links on {len(pages)} pages")
    return 1 if bad or not pages else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
