"""The pages of the pilots room: door, act, answer."""
