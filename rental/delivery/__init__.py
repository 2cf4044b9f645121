"""Machines: their proof, their handing over and what opens them."""
