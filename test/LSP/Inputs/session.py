# SPDX-License-Identifier: Apache-2.0
"""Talks to fsdp-lsp-server as an editor does, and compares with fsdp-opt.

Usage: session.py FSDP_LSP_SERVER FSDP_OPT DIRECTORY PAGE
"""

import json
import pathlib
import re
import subprocess
import sys

REPORT = re.compile(r"^[^\n:]*:(\d+):(\d+): (error|note): (.*)$", re.M)


class Editor:
    """A server and what an editor does with it."""

    def __init__(self, server):
        self.server = subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.versions = {}

    def send(self, method, params=None, **more):
        """Sends a notification, or with an `id` a request."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        """The next message."""
        headers = dict(line.split(b": ") for line in iter(lambda: self.server.stdout.readline().strip(), b""))
        return json.loads(self.server.stdout.read(int(headers[b"Content-Length"])))

    def request(self, method, params=None):
        """The result of a request."""
        self.send(method, params, id=method)
        message = self.receive()
        assert message["id"] == method, message
        return message["result"]

    def write(self, path, text, **edit):
        """Opens or changes a document; the diagnostics published for it."""
        uri, known = path.as_uri(), path in self.versions
        version = self.versions[path] = self.versions.get(path, 0) + 1
        if known:
            self.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text, **edit}]})
        else:
            self.send("textDocument/didOpen", {"textDocument": {"uri": uri, "version": version, "languageId": "mlir", "text": text}})
        while True:
            params = self.receive()["params"]
            if params["uri"] == uri and params["version"] == version:
                return params["diagnostics"]


def place(range_):
    """Where a range starts, as compilers count."""
    return range_["start"]["line"] + 1, range_["start"]["character"] + 1


def of_editor(diagnostics):
    """(line, column, severity, text) of errors and notes."""
    for diagnostic in diagnostics:
        yield *place(diagnostic["range"]), "error", diagnostic["message"]
        for note in diagnostic.get("relatedInformation", ()):
            yield *place(note["location"]["range"]), "note", note["message"]


def of_compiler(tool, path, *passes):
    """The same, of what fsdp-opt says."""
    done = subprocess.run([tool, path, *passes, "-o", "/dev/null"], capture_output=True, text=True)
    return [(int(line), int(column), severity, text) for line, column, severity, text in REPORT.findall(done.stderr)]


def main(server, tool, directory, page):
    """One session: programs that are wrong and right, then bad text."""
    paths = {path.stem: path for path in pathlib.Path(directory).resolve().glob("*.mlir")}
    texts = {name: path.read_text() for name, path in paths.items()}
    editor = Editor(server)
    assert "hoverProvider" in editor.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    editor.send("initialized", {})

    # Our checks, in the words and places of fsdp-opt, over the name of an op.
    for name, op, checks in (
        ("wrong", "fsdp.scale", ["--fsdp-verify"]),
        ("not_gathered", "math.exp", ["--fsdp-verify"]),
        ("called", "fsdp.all_reduce", ["--fsdp-verify"]),
        ("unverified", "fsdp.all_reduce", []),
    ):
        (error,) = found = editor.write(paths[name], texts[name])
        start, end = error["range"]["start"], error["range"]["end"]
        assert texts[name].splitlines()[start["line"]][start["character"] : end["character"]] == op, error
        assert sorted(of_editor(found)) == sorted(of_compiler(tool, paths[name], *checks)), found
    # The page shows the first of them, and its twin is one edit away.
    words = pathlib.Path(page).read_text()
    assert all(text in words for text in (texts["wrong"], *(text for *_, text in of_editor(editor.write(paths["wrong"], texts["wrong"])))))
    texts["right"] = texts["wrong"].replace("%local over @node", "%local over @world")
    assert editor.write(paths["wrong"], texts["right"]) == []
    assert editor.write(paths["no_step"], texts["no_step"]) == []

    # A document in the making, an edit of a part of it, garbage.
    document = paths["wrong"]
    assert editor.write(document, texts["right"].rstrip()[:-1])
    end = {"line": len(texts["right"].splitlines()) - 1, "character": 0}
    assert editor.write(document, "}", range={"start": end, "end": end}) == []
    for length in range(0, len(texts["right"]), 97):
        assert editor.write(document, texts["right"][:length]) or not length
    for garbage in ("\0\1\2", "}" * 999, "module {" * 99, "%0 = fsdp.", '"', "\N{SNOWMAN}"):
        assert editor.write(document, garbage)

    # Text that crashes MLIR's parser, until it is edited.
    document = paths["crash"]
    assert "crashed" in editor.write(document, texts["crash"])[0]["message"]
    cursor = {"line": 1, "character": texts["crash"].splitlines()[1].index("]")}
    assert editor.write(document, "0", range={"start": cursor, "end": cursor}) == []
    hover = editor.request("textDocument/hover", {"textDocument": {"uri": document.as_uri()}, "position": {"line": 1, "character": 8}})
    assert "linalg.transpose" in hover["contents"]["value"], hover

    assert editor.request("shutdown") is None
    editor.send("exit")
    assert editor.server.wait() == 0


if __name__ == "__main__":
    main(*sys.argv[1:])
