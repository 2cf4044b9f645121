"""Quotes, orders and terms: from choice to the end, each with its history."""
