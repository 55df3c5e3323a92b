"""What ``store`` says of brokers' stores: found, told in lines, told to programs."""
