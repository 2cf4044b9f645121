"""One run's life, act by act. Pages, API, host API and the sweep all come through here."""

from pilots.runs.starting import cancel, resume, start

__all__ = ["cancel", "resume", "start"]
