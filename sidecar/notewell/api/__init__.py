"""The part of Notewell that features may use; other modules may change without notice.

This module has the row of a feature and what one vault gives it; docs/extending.md has each name.
"""

from notewell.engine.feature import Feature, OpenFeature, OpenVault

__all__ = ["Feature", "OpenFeature", "OpenVault"]
