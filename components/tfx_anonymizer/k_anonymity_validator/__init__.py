"""KAnonymityValidator: counts a release's classes again and stops the pipeline if the promise is broken."""
