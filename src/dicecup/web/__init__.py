"""The web app: pages and a JSON API over one match service."""
