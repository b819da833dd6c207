"""Models: the catalogue, downloads, and the runtimes of embedders, rerankers and chat models.

`loading` loads them. Importing this package loads no runtime.
"""
