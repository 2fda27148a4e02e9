"""What the components share: parameters that become a policy, examples artifacts, reports."""
