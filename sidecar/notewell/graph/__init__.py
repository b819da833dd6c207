"""The links between notes: what is near a note, what connects two, how the whole vault is shaped.

`queries` answers the contract's questions. Below it are pure functions over a `Network`. Algorithms
on the whole network come from networkx, which only `structure` imports, when such a question comes.
"""
