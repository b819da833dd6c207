"""The parts of a reply: results with passages and snippets, explanations, similar notes."""
