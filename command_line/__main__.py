"""``python -m command_line`` is ``rmqspec``."""

from command_line.main import main

if __name__ == "__main__":
    main()
