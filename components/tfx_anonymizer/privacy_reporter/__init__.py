"""PrivacyReporter: one page about a whole pipeline, for the privacy officer who signs and the engineer who reads."""
