"""Context for a language model: what the vault has on a question, within a budget of tokens."""

from recollect.context.assemble import Assembler
from recollect.context.tokens import TokenCounter

__all__ = ["Assembler", "TokenCounter"]
