"""Carrying memories into a store and out of it: archives, other packages' data, chats."""
