"""From a project to a card: its libraries, its memory, its time."""
