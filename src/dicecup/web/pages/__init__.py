"""The pages a person sees: server-rendered, with fragments for htmx."""
