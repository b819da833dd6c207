"""`notewell words`, and the same as a tool for assistants."""

from notewell.api.commands import TextLine, asking
from notewell.api.tools import tool_of
from notewell_wordcount.counting import WordsRequest

words = asking(
    "words",
    WordsRequest,
    "Count the words of the notes.",
    TextLine("{words:count word} in {notes:count note}"),
    TextLine("longest: {longest}", when="longest"),
    options=("folder",),
)
TOOLS = (tool_of(WordsRequest, "Words", "Counts the words of the notes, all or of a folder."),)
