"""The six steps, the diagnostic, the example and its recorded result."""
