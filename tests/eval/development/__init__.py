"""Development sets: everyday queries made from real notes by fixed rules, to compare rankings on.

`make.py` makes them, `measure.py` asks them, `tables.py` prints the figures. Nothing here is a
test set: fit on the half `fit`, look at the half `check` before a change is believed, and report on
the sets of `tests/eval/run.py`.
"""
