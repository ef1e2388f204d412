"""A client of a language server, like an editor: it starts the server's program and communicates over pipes.

The server is named by the environment variable POLYBODY_XML_SERVER, a command line, such as
``java -jar org.eclipse.lemminx-uber.jar``; it gets the settings that ``polybody editor`` writes for a folder.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from polybody.cli import app
from polybody.cli.editor import COPIES, schemas_folder

from tests.waiting import PATIENCE, start

SERVER = "POLYBODY_XML_SERVER"
SILENCE = 60.0
"""Seconds of silence after which a server counts as dead."""
PLAIN = {"completionItem": {"documentationFormat": ["plaintext"]}}


def command() -> list[str]:
    """The command line of the server; empty if none is named."""
    return shlex.split(os.environ.get(SERVER, ""))


def settings(folder: Path) -> dict[str, Any]:
    """The settings that ``polybody editor`` writes for a folder, nested at the dots of their keys as VS Code
    passes them. Nothing is copied to the folder: the schemas are those of the installation.
    """
    printed = CliRunner().invoke(app, ["editor", str(folder), "--print"])
    assert printed.exit_code == 0, printed.output
    text = printed.output.replace(f'"{COPIES.as_posix()}/', f'"{schemas_folder().as_posix()}/')
    nested: dict[str, Any] = {}
    for key, value in json.loads(text).items():
        *outer, last = key.split(".")
        place = nested
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return nested


class Client:
    """A conversation with a server. Raises RuntimeError if the server fails or falls silent."""

    def __init__(self, program: list[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.number = 0
        self.published: dict[str, list[dict[str, Any]]] = {}
        start(self._listen)
        parameters = {
            "processId": os.getpid(),
            "rootUri": folder.resolve().as_uri(),
            "capabilities": {"textDocument": {"completion": PLAIN}},
            "initializationOptions": {"settings": settings(folder.resolve())},
        }
        try:
            self.request("initialize", parameters)
            self.notify("initialized", {})
        except BaseException:
            self._kill()
            raise

    def diagnostics(self, path: Path, text: str | None = None) -> list[dict[str, Any]]:
        """Open a document and wait for the server's diagnostics."""
        uri = path.resolve().as_uri()
        content = path.read_text(encoding="utf-8") if text is None else text
        item = {"uri": uri, "languageId": "xml", "version": 1, "text": content}
        self.published.pop(uri, None)
        self.notify("textDocument/didOpen", {"textDocument": item})
        while uri not in self.published:
            self._next()
        return self.published[uri]

    def close(self, path: Path) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": path.resolve().as_uri()}})

    def completion(self, path: Path, line: int, character: int) -> list[dict[str, Any]]:
        """Completion items at a position of an open document; line and character are counted from 0."""
        found = self.request(
            "textDocument/completion",
            {
                "textDocument": {"uri": path.resolve().as_uri()},
                "position": {"line": line, "character": character},
            },
        )
        items: list[dict[str, Any]] = found["items"] if isinstance(found, dict) else found or []
        return items

    def request(self, method: str, parameters: Any) -> Any:
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": parameters})
        while True:
            message = self._next()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message.get("result")

    def notify(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def stop(self) -> None:
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            self.process.wait(PATIENCE)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self._kill()

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    # --- protocol ---------------------------------------------------------------------------------------

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        """The next message. Requests of the server are answered with null, its notifications are stored."""
        try:
            message = self.messages.get(timeout=SILENCE)
        except queue.Empty:
            raise RuntimeError("the server says nothing") from None
        if message is None:
            raise RuntimeError("the server has ended")
        if "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        elif message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def _listen(self) -> None:
        """Pass on the server's messages; the end of its output or invalid output is passed on last."""
        stream = self.process.stdout
        assert stream is not None
        try:
            while True:
                length = 0
                while (line := stream.readline()).strip():
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                if not line:
                    break
                self.messages.put(json.loads(stream.read(length)))
        finally:
            self.messages.put(None)


@contextmanager
def talking_to(program: list[str], folder: Path) -> Iterator[Client]:
    client = Client(program, folder)
    try:
        yield client
    finally:
        client.stop()
