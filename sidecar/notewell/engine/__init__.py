"""One vault at work: its index, its model, its writer and its readers."""
