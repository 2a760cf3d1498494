"""The pages of the desk: who may ask, what is shown, what a form may do.

Only this machine can reach it, and of that only browsers that came with a token: each is good for one browser. Every
request has to name this machine as its host; a form has to come from a page of ours and to bring its secret. What a
student wrote is text in a page that may load nothing but its own style, script and pictures.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from grader.classroom.decisions import REVIEWED, SUGGESTED
from grader.errors import GraderError
from grader.model.outcome import Answer, Span
from grader.report.words import points
from grader.review.desk.state import Desk, Seat, Shown, name_of
from grader.review.queue import typed_points

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "desk"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
KINDS = {"desk.css": "text/css", "desk.js": "text/javascript"}
LONGEST_FORM = 64 << 10
"""Bytes of a form: a comment is all that is written."""
LONGEST_COMMENT = 2000

Handler = Callable[["Request"], Awaitable["Response"]]


def application(desk: Desk, origin: str) -> Starlette:
    """Return the app for a desk at ``origin``, such as ``http://127.0.0.1:8123``."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    pages = _Pages(desk, origin)
    return Starlette(
        routes=[
            Route("/", pages.guarded(pages.item)),
            Route("/sit", pages.guarded(pages.sit, stranger=True)),
            Route("/log", pages.guarded(pages.log)),
            Route("/place/{item}/{number:int}", pages.guarded(pages.place)),
            Route("/{name}", pages.guarded(pages.asset, stranger=True)),
            Route("/do", pages.guarded(pages.act), methods=["POST"]),
        ]
    )


class _Pages:
    """The handlers, around one desk."""

    def __init__(self, desk: Desk, origin: str) -> None:
        from jinja2 import Environment, FunctionLoader, StrictUndefined

        self.desk, self.origin, self.host = desk, origin, origin.partition("://")[2]
        self.environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
            loader=FunctionLoader(_asset),
        )  # fmt: skip
        self.environment.filters |= {"points": points}

    def guarded(self, handler: Handler, *, stranger: bool = False) -> Handler:
        """Let through only requests to this host; unless a ``stranger`` may ask, only from a browser that sits here."""

        async def guard(request: Request) -> Response:
            from starlette.responses import PlainTextResponse

            if request.headers.get("host") != self.host:
                response: Response = PlainTextResponse("This is another host.", 421)
            elif not stranger and self._seat(request) is None:
                response = PlainTextResponse("Open the link that `grader review --web` printed.", 403)
            elif request.method == "POST" and request.headers.get("origin") != self.origin:
                response = PlainTextResponse("This form is from another page.", 403)
            else:
                response = await handler(request)
            response.headers.update(HEADERS)
            return response

        return guard

    def _seat(self, request: Request) -> Seat | None:
        return self.desk.seat_of(request.cookies.get(COOKIE, ""))

    def _sitting(self, request: Request) -> Seat:
        seat = self._seat(request)
        assert seat is not None  # noqa: S101 - the guard looked
        return seat

    async def sit(self, request: Request) -> Response:
        """Exchange a token for a cookie; the address does not keep it."""
        from starlette.responses import PlainTextResponse, RedirectResponse

        seat = self.desk.sit(request.query_params.get("token", ""))
        if seat is None:
            if self._seat(request) is not None:  # the link again, in the same browser
                return RedirectResponse("/", 303)
            return PlainTextResponse("This link was used already. Run `grader review --web` again for another.", 403)
        response = RedirectResponse("/", 303)
        response.set_cookie(COOKIE, seat.session, httponly=True, samesite="strict", path="/")
        return response

    async def item(self, request: Request) -> Response:
        """The next answer, or that none is left."""
        seat = self._sitting(request)
        shown = await _aside(lambda: self.desk.next_for(seat))
        return self._page("item.html", seat, shown=shown, **(_parts(shown) if shown else {}))

    async def log(self, request: Request) -> Response:
        """What was decided."""
        seat = self._sitting(request)
        return self._page("log.html", seat, decisions=await _aside(self.desk.log))

    def _page(self, template: str, seat: Seat, **what: Any) -> Response:
        from starlette.responses import HTMLResponse

        said, seat.said = seat.said, ""
        html = self.environment.get_template(template).render(seat=seat, said=said, **what)
        return HTMLResponse(html)

    async def place(self, request: Request) -> Response:
        """A strip of the page that an answer stands on."""
        from starlette.responses import PlainTextResponse
        from starlette.responses import Response as Plain

        item = await _aside(lambda: self.desk.find(request.path_params["item"]))
        number = request.path_params["number"]
        if item is None or number >= len(item.answer.places):
            return PlainTextResponse("There is no such picture.", 404)
        try:
            data = base64.b64decode(item.answer.places[number].picture, validate=True)
        except (ValueError, binascii.Error):
            data = b""
        return Plain(data, media_type="image/png")

    async def asset(self, request: Request) -> Response:
        """The style and the script."""
        from starlette.responses import PlainTextResponse
        from starlette.responses import Response as Plain

        name = request.path_params["name"]
        if name == "favicon.ico":  # every browser asks for it
            return Plain(status_code=204)
        if name not in KINDS:
            return PlainTextResponse("There is no such page.", 404)
        return Plain(_asset(name), media_type=KINDS[name])

    async def act(self, request: Request) -> Response:
        """Do what a form says."""
        from starlette.responses import PlainTextResponse, RedirectResponse

        if int(request.headers.get("content-length") or LONGEST_FORM + 1) > LONGEST_FORM:
            return PlainTextResponse("This form is too long.", 413)
        seat, form = self._sitting(request), await request.form(max_files=0, max_fields=2000)
        if not compare_digest(str(form.get("csrf", "")).encode(), seat.csrf.encode()):
            return PlainTextResponse("This form is from another page.", 403)
        names = [str(form.get("item", "")), *(map(str, form.getlist("alike")) if form.get("all") else ())]
        try:
            seat.said = await _aside(lambda: self._done(seat, str(form.get("do", "")), names, form))
        except GraderError as error:
            seat.said = str(error)
        return RedirectResponse("/", 303)

    def _done(self, seat: Seat, what: str, names: list[str], form: Any) -> str:
        """Carry out one key; return what is to be said of it. Raises GraderError."""
        match what:
            case "undo":
                return self.desk.undo(seat)
            case "skip":
                self.desk.pass_over(seat, names)
                return "Left for later."
            case "back":
                self.desk.bring_back(seat)
                return ""
        item = self.desk.find(names[0])
        if item is None:
            return self.desk.give(seat, names, Decimal(0), "")
        comment = " ".join(str(form.get("comment", "")).split())[:LONGEST_COMMENT]
        given = {"accept": item.suggested, "full": item.most, "zero": Decimal(0)}
        value = typed_points(str(form.get("points", ""))) if what == "change" else given.get(what)
        if value is None:
            raise GraderError(f"type points between 0 and {points(item.most)}", "not decided")
        return self.desk.give(seat, names, value, comment or (SUGGESTED if what == "accept" else REVIEWED))


def _parts(shown: Shown) -> dict[str, Any]:
    item = shown.item
    return {
        "item": item, "name": name_of(item), "alike": [(name_of(one), one) for one in shown.alike],
        "title": item.title.rstrip("."), "answer": list(_pieces(item.answer)),
        "evidence": list(dict.fromkeys((span.kind, span.label) for span in _joined(item.answer))),
    }  # fmt: skip


def _pieces(answer: Answer) -> Iterator[tuple[str, str, str]]:
    """The answer in pieces: text, and kind and label of the evidence in it, empty between."""
    at = 0
    for span in _joined(answer):
        yield answer.text[at : span.start], "", ""
        yield answer.text[span.start : span.end], span.kind, span.label
        at = span.end
    yield answer.text[at:], "", ""


def _joined(answer: Answer) -> list[Span]:
    """The evidence from left to right, what overlaps left out; word beside word of one kind is one stretch."""
    found: list[Span] = []
    for span in sorted(answer.spans, key=lambda span: (span.start, -span.end)):
        last = found[-1] if found else None
        if span.end > len(answer.text) or (last and span.start < last.end):
            continue
        between = answer.text[last.end : span.start] if last else "…"
        if last and not between.strip() and (last.kind, last.label) == (span.kind, span.label):
            found[-1] = replace(last, end=span.end)
        else:
            found.append(span)
    return found


async def _aside(call: Callable[[], Any]) -> Any:
    """Call what reads and writes files beside the loop that serves others."""
    from starlette.concurrency import run_in_threadpool

    return await run_in_threadpool(call)


def _asset(name: str) -> str:
    return (files("grader.review.desk") / "templates" / name).read_text(encoding="utf-8")
