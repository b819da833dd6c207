"""Files of a feature: private, replaced as a whole, never through a link."""

from notewell.base.support import disk
from notewell.base.support.disk import StateFile, allowed_place, expand_user
from notewell.base.support.plain_file import open_plain, read_plain

__all__ = ["StateFile", "allowed_place", "disk", "expand_user", "open_plain", "read_plain"]
