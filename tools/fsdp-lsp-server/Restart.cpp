// SPDX-License-Identifier: Apache-2.0
//===- Restart.cpp - a server that outlives its crashes -------------------===//
//
// Half-written text can crash MLIR's parser (`permutation = [1,` does), and
// editors give up on a server that crashes at each key. So the server runs in a
// child. It writes to the client itself; what the client says passes through
// here, where the text of open documents is kept. A child that dies is replaced
// and told that text. A document that kills the second one too is left out,
// with a diagnostic, until it changes.
//
//===----------------------------------------------------------------------===//
#include "Restart.h"
#include "llvm/Support/LSP/Transport.h"

#include <csignal>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace {
/// A document as the client last left it.
struct Document {
  std::string text;
  int64_t version = 0;
  bool isFatal = false;
};

class Restarter {
public:
  explicit Restarter(function_ref<int()> serve) : serve(serve) {}
  int run();

private:
  void start();
  bool restart();
  void receive(std::string message);
  void send(StringRef message);
  void open(StringRef uri, const Document &document);

  function_ref<int()> serve;
  lsp::JSONTransportInputOverFile input{stdin};
  std::map<std::string, Document> documents;
  /// The URI of the document that changed last.
  std::string latest;
  pid_t child = 0;
  /// The end to write to of the pipe that is the child's standard input.
  int pipe = -1;
  /// Crashes since the client's last message.
  unsigned crashes = 0;
  bool isLeaving = false;
};
} // namespace

/// Starts a child, which only returns to `run` as the server.
void Restarter::start() {
  int ends[2];
  if (::pipe(ends) || (child = fork()) < 0) {
    perror("fsdp-lsp-server");
    exit(1);
  }
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    exit(serve());
  }
  close(ends[0]);
  pipe = ends[1];
}

/// Passes `message` on; one that a dead child misses is made up for later.
void Restarter::send(StringRef message) {
  std::string text =
      ("Content-Length: " + Twine(message.size()) + "\r\n\r\n" + message).str();
  for (StringRef rest = text; !rest.empty();) {
    ssize_t count = write(pipe, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      return;
    rest = rest.drop_front(std::max<ssize_t>(count, 0));
  }
}

/// Tells the child the whole text. It takes that for an edit as well.
void Restarter::open(StringRef uri, const Document &document) {
  json::Value message = json::Object{
      {"jsonrpc", "2.0"},
      {"method", "textDocument/didOpen"},
      {"params",
       json::Object{{"textDocument", json::Object{{"uri", uri},
                                                  {"languageId", "mlir"},
                                                  {"version", document.version},
                                                  {"text", document.text}}}}}};
  send(debugString(message));
}

/// Follows what the client does to documents, and passes on what it says.
void Restarter::receive(std::string message) {
  crashes = 0;
  Expected<json::Value> value = json::parse(message);
  if (!value)
    return consumeError(value.takeError());
  json::Object *object = value->getAsObject();
  StringRef method =
      object ? object->getString("method").value_or("") : StringRef();
  isLeaving |= method == "exit";
  json::Object *params = object ? object->getObject("params") : nullptr;
  json::Object *item = params ? params->getObject("textDocument") : nullptr;
  std::string uri = item ? item->getString("uri").value_or("").str() : "";
  if (method == "textDocument/didClose")
    documents.erase(uri);
  if (!item ||
      (method != "textDocument/didOpen" && method != "textDocument/didChange"))
    return send(message);

  latest = uri;
  Document &document = documents[uri];
  document.version = item->getInteger("version").value_or(0);
  document.isFatal = false;
  if (std::optional<StringRef> text = item->getString("text"))
    document.text = text->str();
  if (json::Array *changes = params->getArray("contentChanges"))
    for (const json::Value &each : *changes) {
      json::Path::Root root;
      lsp::TextDocumentContentChangeEvent change;
      if (fromJSON(each, change, root))
        (void)change.applyTo(document.text);
    }
  open(uri, document);
}

/// Replaces a child that crashed; false where even one without documents did.
bool Restarter::restart() {
  if (++crashes > 3)
    return false;
  auto fatal = documents.find(latest);
  if (crashes > 1 && fatal != documents.end()) {
    fatal->second.isFatal = true;
    lsp::JSONTransport client(stdin, outs());
    client.notify(
        "textDocument/publishDiagnostics",
        json::Object{
            {"uri", latest},
            {"version", fatal->second.version},
            {"diagnostics",
             json::Array{json::Object{
                 {"range", lsp::Range(lsp::Position(0, 0))},
                 {"severity", 1},
                 {"source", "fsdp"},
                 {"message", "expected text that can be parsed and checked, "
                             "but the server crashed on it; it tries again at "
                             "the next edit"}}}}});
  }
  start();
  for (auto &[uri, document] : documents)
    if (!document.isFatal && crashes < 3)
      open(uri, document);
  return true;
}

/// Waits for the client and for the child's end; its result is that of a child
/// that was told to leave.
int Restarter::run() {
  // Nothing may wait in a buffer, where `poll` and a new child don't see it.
  setvbuf(stdin, nullptr, _IONBF, 0);
  signal(SIGPIPE, SIG_IGN);
  start();
  std::string message;
  while (true) {
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {pipe, 0, 0}};
    if (poll(files, 2, -1) < 0)
      continue;
    bool hasEnded = files[1].revents;
    if (!hasEnded && succeeded(input.readMessage(message))) {
      receive(message);
      continue;
    }
    if (!hasEnded && !input.isEndOfInput() && !input.hasError())
      continue;
    int status = 0;
    close(pipe);
    waitpid(child, &status, 0);
    if (!hasEnded || isLeaving || !restart())
      return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
}

int fsdp::serveAndRestart(function_ref<int()> serve) {
  return Restarter(serve).run();
}
