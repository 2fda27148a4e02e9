"""AuditSplit: holds some records back by coin before anything is trained, so that an audit can be exact about it."""
