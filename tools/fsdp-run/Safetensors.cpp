//===- Safetensors.cpp - Reading and writing safetensors files ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every number in a header is checked before it is used. As the format asks,
// tensors must cover the data without gap or overlap.
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;

namespace fsdp::run {

static_assert(endianness::native == endianness::little,
              "tensors are copied to and from files, which are little-endian");

/// The reference implementation's limit.
static constexpr uint64_t maxHeaderSize = 100'000'000;

Error invalid(StringRef path, const Twine &expected, const Twine &got) {
  std::string text =
      (path + ": expected " + expected + ", but got " + got).str();
  for (char &c : text) // names come from files; the message is one line
    if (isASCII(c) && !isPrint(c))
      c = '?';
  return createStringError(inconvertibleErrorCode(), text);
}

std::string show(const json::Value *value) {
  if (!value)
    return "nothing";
  std::string text = formatv("{0}", *value);
  return text.size() <= 60 ? text : json::fixUTF8(text.substr(0, 57)) + "...";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

Expected<json::Value> parseJson(StringRef text, StringRef path) {
  constexpr size_t maxDepth = 64;
  SmallVector<StringSet<>> open; // names so far, per open bracket
  StringRef string;              // the latest one, with its quotes
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"': {
      size_t start = i;
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      string = text.slice(start, i + 1);
      break;
    }
    case '{':
    case '[':
      if (open.size() == maxDepth)
        return invalid(path, "JSON of at most 64 levels", "more");
      open.emplace_back();
      break;
    case '}':
    case ']':
      if (!open.empty())
        open.pop_back();
      break;
    case ':': {
      // A string on its own is JSON: parsing it resolves the escapes.
      Expected<json::Value> name = json::parse(string);
      if (!name)
        consumeError(name.takeError()); // parsing the whole reports it
      else if (auto key = name->getAsString(); key && !open.empty())
        if (!open.back().insert(*key).second)
          return invalid(path, "every name once", "'" + *key + "' twice");
      break;
    }
    default:
      break;
    }
  }
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return invalid(path, "JSON", toString(value.takeError()));
  return value;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// A tensor that the header names, and where its data lie.
struct Entry {
  StringRef name;
  Dtype dtype;
  SmallVector<int64_t> shape;
  int64_t begin, end;
};
} // namespace

/// The integers of a JSON array; none if it is anything else, or one negative.
static std::optional<SmallVector<int64_t>>
parseNaturals(const json::Value *value) {
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const json::Value &element : *array) {
    std::optional<int64_t> number = element.getAsInteger();
    if (!number || *number < 0)
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

/// The bytes of a tensor; none if they, or any stride, overflow.
static std::optional<int64_t> sizeInBytes(Dtype dtype,
                                          ArrayRef<int64_t> shape) {
  int64_t size = byteSize(dtype);
  for (int64_t extent : shape)
    if (MulOverflow(size, std::max<int64_t>(extent, 1), size))
      return std::nullopt;
  return is_contained(shape, 0) ? 0 : size;
}

/// Checks one member of the header.
static Expected<Entry> parseEntry(StringRef name, const json::Value &value,
                                  StringRef path) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return invalid(path, "an object for tensor '" + name + "'", show(&value));
  auto wrong = [&](const Twine &expected, StringRef key) {
    return invalid(path, expected + " as " + key + " of '" + name + "'",
                   show(object->get(key)));
  };

  std::optional<StringRef> dtypeName = object->getString("dtype");
  std::optional<Dtype> dtype =
      dtypeName ? parseFileName(*dtypeName) : std::nullopt;
  if (!dtype)
    return wrong("F16, BF16, F32, F64, BOOL, I8, I32 or I64", "dtype");
  auto shape = parseNaturals(object->get("shape"));
  if (!shape)
    return wrong("sizes that are at least 0", "shape");
  std::optional<int64_t> size = sizeInBytes(*dtype, *shape);
  if (!size)
    return wrong("a size that fits in 63 bits", "shape");
  auto offsets = parseNaturals(object->get("data_offsets"));
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return wrong("begin <= end", "data_offsets");
  if ((*offsets)[1] - (*offsets)[0] != *size)
    return wrong(Twine(*size) + " bytes", "data_offsets");
  return Entry{name, *dtype, *shape, (*offsets)[0], (*offsets)[1]};
}

/// Reads the header's `__metadata__`, a map from string to string.
static Error parseMetadata(const json::Value &value, StringRef path,
                           std::map<std::string, std::string> &metadata) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return invalid(path, "an object as __metadata__", show(&value));
  for (const auto &[key, text] : *object) {
    std::optional<StringRef> string = text.getAsString();
    if (!string)
      return invalid(path, "a string as __metadata__ '" + StringRef(key) + "'",
                     show(&text));
    metadata[StringRef(key).str()] = string->str();
  }
  return Error::success();
}

Expected<Safetensors> parseSafetensors(StringRef contents, StringRef path) {
  if (contents.size() < 8)
    return invalid(path, "at least 8 bytes", Twine(contents.size()));
  uint64_t headerSize = support::endian::read64le(contents.data());
  StringRef rest = contents.drop_front(8);
  uint64_t limit = std::min<uint64_t>(rest.size(), maxHeaderSize);
  if (headerSize > limit)
    return invalid(path, "a header of at most " + Twine(limit) + " bytes",
                   Twine(headerSize));
  Expected<json::Value> header = parseJson(rest.take_front(headerSize), path);
  if (!header)
    return header.takeError();
  const json::Object *object = header->getAsObject();
  if (!object)
    return invalid(path, "an object as header", show(&*header));

  Safetensors file;
  std::vector<Entry> entries;
  for (const auto &[key, value] : *object) {
    StringRef name = key;
    if (name == "__metadata__") {
      if (Error failure = parseMetadata(value, path, file.metadata))
        return failure;
      continue;
    }
    Expected<Entry> entry = parseEntry(name, value, path);
    if (!entry)
      return entry.takeError();
    entries.push_back(*entry);
  }

  StringRef data = rest.drop_front(headerSize);
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t end = 0, available = data.size();
  for (const Entry &entry : entries) {
    if (entry.begin != end || entry.end > available)
      return invalid(path,
                     "'" + entry.name + "' at byte " + Twine(end) + " of " +
                         Twine(available) + " bytes of data",
                     Twine(entry.begin) + " to " + Twine(entry.end));
    end = entry.end;
    Tensor tensor(entry.dtype, entry.shape);
    llvm::copy(data.slice(entry.begin, entry.end), tensor.bytes.begin());
    if (entry.dtype == Dtype::I1)
      for (char byte : tensor.bytes)
        if (byte != 0 && byte != 1)
          return invalid(path, "0 or 1 in '" + entry.name + "'",
                         Twine(static_cast<unsigned>(byte & 0xff)));
    file.tensors.emplace(entry.name.str(), std::move(tensor));
  }
  if (end != available)
    return invalid(path, Twine(end) + " bytes of data", Twine(available));
  return file;
}

Expected<Safetensors> readSafetensors(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return invalid(path, "a readable file", buffer.getError().message());
  return parseSafetensors((*buffer)->getBuffer(), path);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error writeSafetensors(StringRef path, const Safetensors &file) {
  using Item = std::pair<const std::string, Tensor>;
  SmallVector<const Item *> items;
  for (const Item &item : file.tensors) {
    if (!json::isUTF8(item.first) || item.first == "__metadata__")
      return invalid(path, "a tensor name in UTF-8 other than __metadata__",
                     "'" + json::fixUTF8(item.first) + "'");
    items.push_back(&item);
  }
  llvm::sort(items, [](const Item *a, const Item *b) {
    int64_t sizeA = byteSize(a->second.dtype),
            sizeB = byteSize(b->second.dtype);
    return std::tie(sizeB, a->first) < std::tie(sizeA, b->first);
  });

  std::string header;
  raw_string_ostream text(header);
  json::OStream out(text);
  out.objectBegin();
  if (!file.metadata.empty())
    out.attributeObject("__metadata__", [&] {
      for (const auto &[key, value] : file.metadata)
        out.attribute(key, value);
    });
  int64_t begin = 0;
  for (const auto *item : items) {
    const Tensor &tensor = item->second;
    int64_t end = begin + tensor.bytes.size();
    out.attributeObject(item->first, [&] {
      out.attribute("dtype", fileName(tensor.dtype));
      out.attribute("shape", json::Array(tensor.shape));
      out.attribute("data_offsets", json::Array{begin, end});
    });
    begin = end;
  }
  out.objectEnd();
  header.resize(alignTo(header.size(), 8), ' ');

  std::error_code failure;
  raw_fd_ostream stream(path, failure);
  if (failure)
    return invalid(path, "a writable file", failure.message());
  char length[8];
  support::endian::write64le(length, header.size());
  stream << StringRef(length, 8) << header;
  for (const auto *item : items)
    stream.write(item->second.bytes.data(), item->second.bytes.size());
  stream.close();
  failure = stream.error();
  stream.clear_error(); // else the destructor aborts
  if (failure)
    return invalid(path, "space for " + Twine(begin) + " bytes of data",
                   failure.message());
  return Error::success();
}

} // namespace fsdp::run
