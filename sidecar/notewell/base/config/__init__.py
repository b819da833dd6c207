"""Reads settings from their layers, shows them and changes them."""
