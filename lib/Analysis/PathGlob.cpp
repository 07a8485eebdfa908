//===- PathGlob.cpp - Globs on dotted paths -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// llvm::GlobPattern checks the syntax, so that its errors are ours; because its
// `*` crosses dots, the matching itself is left to a regular expression.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Analysis/PathGlob.h"
#include "llvm/Support/GlobPattern.h"

using namespace fsdp;
using llvm::StringRef;

/// How many globs the braces of one pattern may stand for.
static constexpr size_t maxAlternatives = 1024;

/// Appends the set that opens at `pattern[begin]`; returns the end of it.
static size_t appendSet(StringRef pattern, size_t begin, std::string &regex) {
  // A bracket right after the opening one is a member of the set.
  size_t end = pattern.find(']', begin + 2);
  StringRef members = pattern.slice(begin + 1, end);
  if (!members.consume_front("!") && !members.consume_front("^")) {
    regex += ("[" + members + "]").str();
    return end;
  }
  // The dot is not matched either; a dash at an end must stay at an end.
  bool dash = members.consume_front("-");
  dash |= members.consume_back("-");
  regex += ("[^" + members + (dash ? ".-]" : ".]")).str();
  return end;
}

/// Whether a set holds what means itself to a glob, but not to a regex.
static bool hasPosixClass(StringRef pattern) {
  return pattern.contains("[:") || pattern.contains("[=") ||
         pattern.contains("[[.");
}

/// Translates a glob that llvm::GlobPattern accepts.
static std::string translate(StringRef pattern) {
  std::string regex = "^";
  bool componentStart = true, braceAtStart = false, inBrace = false;
  for (size_t i = 0, e = pattern.size(); i < e; ++i) {
    bool atStart = std::exchange(componentStart, false);
    StringRef rest = pattern.drop_front(i);
    if (atStart && rest.starts_with("**.")) {
      regex += "(.*\\.)?";
      i += 2;
      componentStart = true;
    } else if (rest.starts_with("**")) {
      regex += ".*";
      ++i;
    } else if (rest[0] == '*') {
      regex += "[^.]*";
    } else if (rest[0] == '?') {
      regex += "[^.]";
    } else if (rest[0] == '[') {
      i = appendSet(pattern, i, regex);
    } else if (rest[0] == '{') {
      // The empty group keeps an empty alternative legal.
      regex += "(()";
      inBrace = true;
      componentStart = braceAtStart = atStart;
    } else if (inBrace && rest[0] == ',') {
      regex += "|()";
      componentStart = braceAtStart;
    } else if (inBrace && rest[0] == '}') {
      regex += ")";
      inBrace = false;
    } else {
      if (rest[0] == '\\')
        rest = pattern.drop_front(++i);
      regex += llvm::Regex::escape(rest.take_front());
      componentStart = rest[0] == '.';
    }
  }
  return regex + "$";
}

llvm::Expected<PathGlob> PathGlob::create(StringRef pattern) {
  auto syntax = llvm::GlobPattern::create(pattern, maxAlternatives);
  if (!syntax)
    return syntax.takeError();
  if (hasPosixClass(pattern))
    return llvm::createStringError("invalid glob pattern, '[:', '[=' and '[[.' "
                                   "have no meaning here");
  llvm::Regex regex(translate(pattern));
  std::string error;
  if (!regex.isValid(error))
    return llvm::createStringError("invalid glob pattern, " + error);
  return PathGlob(pattern, std::move(regex));
}

bool PathGlob::match(StringRef dottedPath) const {
  return regex.match(dottedPath);
}
