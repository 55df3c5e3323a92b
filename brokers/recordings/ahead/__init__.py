"""What a recording as a whole tells before its events are explained one by one."""
