# What goes into the prefix. Nothing in it names the prefix, so it can be moved.
