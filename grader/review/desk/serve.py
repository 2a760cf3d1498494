"""Run the desk on this machine until ctrl-C."""

import socket
from collections.abc import Callable

from grader.errors import GraderError
from grader.review.desk.app import application
from grader.review.desk.state import Desk

HOST = "127.0.0.1"


def serve(desk: Desk, port: int, tell: Callable[[str], None]) -> None:
    """Serve ``desk`` on loopback; ``tell`` is given a line with a link for each reviewer. Raises GraderError.

    Ends with KeyboardInterrupt, as any program that is told to stop.
    """
    import uvicorn

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise GraderError(
            f"cannot be used ({error.strerror})", f"--port {port}", "Leave it out for a free one."
        ) from error
    listener.listen()  # a link that is opened at once waits until the app is up
    origin = f"http://{HOST}:{listener.getsockname()[1]}"
    for by, token in desk.tokens.items():
        tell(f"{by}: {origin}/sit?token={token}")
    config = uvicorn.Config(
        application(desk, origin), log_level="warning", access_log=False, server_header=False, lifespan="off"
    )
    with listener:
        uvicorn.Server(config).run(sockets=[listener])
    raise KeyboardInterrupt  # nothing else ends it, and uvicorn passes an interrupt on only now and then
