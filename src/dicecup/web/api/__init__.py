"""The JSON API: everything the pages do, for bots and other clients."""
