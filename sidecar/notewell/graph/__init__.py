"""What the links between notes tell: who is near, what lies between, what holds a vault together.

The algorithms are pure functions over a `Network`; `answers` puts them into the contract's words.
"""
