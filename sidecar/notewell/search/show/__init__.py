"""What a reply shows: results with passages and snippets, explanations, similar notes."""
