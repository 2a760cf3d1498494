"""The review queue in a browser: a small app on this machine, on the same items and decisions as the terminal."""
