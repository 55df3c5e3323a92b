"""Settings of brokers that change the rules, whatever the release."""
