"""A judge behind an OpenAI-compatible endpoint, by the standard library alone."""

import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from grader.review.second import SYSTEM, Asked, Claims, OpinionError, claims_of, prompt

KEY = "GRADER_JUDGE_KEY"
"""The environment variable that holds the endpoint's key; it is on no command line and in no file of ours."""

MOST_BYTES = 1 << 20


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key is for one host: nothing is followed to another."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""


def ask(asked: Asked, url: str, model: str, seconds: float = 60.0) -> Claims:
    """Ask a model at ``url``, the base such as https://host/v1. Raises OpinionError for all that goes wrong."""
    if not url.startswith(("https://", "http://")):
        raise OpinionError("the address has to start with https:// or http://")
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt(asked)}]
    body = json.dumps({"model": model, "temperature": 0, "messages": messages}).encode()
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get(KEY):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, headers)  # noqa: S310 - checked
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=seconds) as reply:
            data: bytes = reply.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise OpinionError(f"the endpoint answered {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise OpinionError(f"the endpoint cannot be reached ({type(error).__name__})") from None
    if len(data) > MOST_BYTES:
        raise OpinionError("the endpoint's answer is too long")
    try:
        content = json.loads(data)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise OpinionError("the endpoint's answer is not that of a chat model") from None
    if not isinstance(content, str):
        raise OpinionError("the endpoint's answer holds no text")
    return claims_of(content)
