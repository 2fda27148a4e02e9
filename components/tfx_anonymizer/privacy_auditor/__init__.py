"""PrivacyAuditor: attacks the model and the release before anyone else does."""
