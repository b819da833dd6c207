"""Gleanings: links saved in daily notes, found as results and made notes of on request."""
