"""What operators see: queues, and the proof of the books."""
