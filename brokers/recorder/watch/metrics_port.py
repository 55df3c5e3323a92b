"""The figures over HTTP, for Prometheus: one answer to any GET, with bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

REQUEST_SECONDS = 5.0
REQUEST_BYTES_MAX = 8192
CONNECTIONS_MAX = 16
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def serve_metrics(host: str, port: int, render: Callable[[], str]) -> asyncio.Server:
    """Listen and answer. Raises OSError."""
    busy = asyncio.Semaphore(CONNECTIONS_MAX)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if busy.locked():
            writer.transport.abort()
            return
        async with busy:
            try:
                async with asyncio.timeout(REQUEST_SECONDS):
                    await reader.readuntil(b"\r\n\r\n")
                    writer.write(make_answer(render()))
                    await writer.drain()
                    writer.close()
                    await writer.wait_closed()
            except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                writer.transport.abort()

    return await asyncio.start_server(answer, host, port, limit=REQUEST_BYTES_MAX)


def make_answer(text: str) -> bytes:
    """An answer of HTTP/1.1 that ends the connection."""
    body = text.encode()
    head = (
        "HTTP/1.1 200 OK\r\n"
        f"Content-Type: {CONTENT_TYPE}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
