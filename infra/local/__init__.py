"""The laptop: an emulated AWS, the template's resources in it, the real handlers in front."""
