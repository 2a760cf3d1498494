"""What a platform is given: a zip with this grader, an assignment, its rubric, and the platform's scripts."""

from grader.packaging.package import PLATFORMS, package

__all__ = ["PLATFORMS", "package"]
