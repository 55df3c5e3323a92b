"""Real sockets for a broker: asyncio's, with bounds."""
