"""``python -m command_line`` is ``rmqspec``."""

from command_line.main import main

main()
