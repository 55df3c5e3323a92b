"""What came of a run of cases: as lines, as JSON, as JUnit's XML, as a page of brokers and cases."""
