"""What came of a run of cases: lines, JSON, JUnit's XML, and a page of brokers and cases."""
