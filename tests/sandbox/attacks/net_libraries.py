# expected: fail
# standard: open
# safe-outcome: no library finds the network: urllib, http, smtplib, ssl, asyncio, name look-up
# stopped-by: seccomp; network namespace
import asyncio
import http.client
import socket
import urllib.request


def probe():
    port = HINTS["tcp_port"]

    async def opened():
        await asyncio.open_connection("127.0.0.1", port)

    async def serving():
        server = await asyncio.start_server(lambda *ends: None, "127.0.0.1", 0)
        if not server.sockets:
            raise OSError("serves nobody")

    tries = {
        "urllib": lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=0.2),
        "http": lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=0.2).connect(),
        "asyncio out": lambda: asyncio.run(opened()),
        "asyncio in": lambda: asyncio.run(serving()),
        "look-up": lambda: socket.getaddrinfo("example.org", 80),
        "old look-up": lambda: socket.gethostbyname("example.org"),
        "interfaces": socket.if_nameindex,
        "server": lambda: socket.create_server(("127.0.0.1", 0)),
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
