"""Pictures drawn with matplotlib, which is imported when one is asked for, and the style that all of them share."""

from spark_csr._pictures.spy import spy

__all__ = ["spy"]
