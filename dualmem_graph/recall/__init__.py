"""Recall, the read path: understand, anchors, expand, fuse, format. No model call."""
