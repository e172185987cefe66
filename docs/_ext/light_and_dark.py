"""Show `name.dark.svg` in place of `name.svg` on dark pages, wherever the file is there. Pages mention `name.svg` only."""

import pathlib

from docutils import nodes
from sphinx.transforms import SphinxTransform


class LightAndDark(SphinxTransform):
    """Put the dark picture after the light one; the theme shows one of the two."""

    default_priority = 500

    def apply(self, **kwargs):
        """Find the images of a page."""
        for image in list(self.document.findall(nodes.image)):
            dark = image["uri"].removesuffix(".svg") + ".dark.svg"
            if pathlib.Path(self.env.relfn2path(dark, self.env.docname)[1]).exists():
                copy = image.deepcopy()
                copy["uri"] = dark
                image["classes"] = [*image["classes"], "only-light"]
                copy["classes"] = [*copy["classes"], "only-dark"]
                image.parent.insert(image.parent.index(image) + 1, copy)


def setup(app):
    """Register the transform."""
    app.add_transform(LightAndDark)
    return {"parallel_read_safe": True}
