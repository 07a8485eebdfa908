//===- Data.cpp - Where arguments get their values ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Everything here is a function of a counter and a key, so that no value
// depends on the order in which values are made.
//
//===----------------------------------------------------------------------===//

#include "Data.h"

#include "Safetensors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <numeric>

using namespace llvm;

namespace fsdp::run {

//===----------------------------------------------------------------------===//
// Generated values
//===----------------------------------------------------------------------===//

/// 64 well-mixed bits (the finaliser of splitmix64).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// One key for two numbers.
static uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ b); }

/// Value number `i` of the sequence `key`, in [-1, 1).
static double uniform(uint64_t key, uint64_t i) {
  return static_cast<double>(mix(key, i) >> 11) * 0x1p-52 - 1.0;
}

Tensor generate(const Argument &argument, uint64_t index, uint64_t seed) {
  Tensor result(argument.dtype, argument.shape);
  StringRef role = argument.role;
  if (role == "state")
    return result;
  uint64_t key = mix(seed, index), bound = std::max<int64_t>(argument.bound, 1);
  size_t rank = argument.shape.size();
  for (int64_t i = 0, e = result.numElements(); i < e; ++i) {
    if (role == "seed")
      result.setInt(i, static_cast<int64_t>(seed));
    else if (!isFloat(argument.dtype))
      result.setInt(i, static_cast<int64_t>(mix(key, i) % bound));
    else if (role == "hyper")
      result.set(i, 1e-3);
    else if (role == "input")
      result.set(i, uniform(key, i));
    else if (rank >= 2)
      result.set(i, uniform(key, i) / std::sqrt(argument.shape.back()));
    else
      result.set(i, 1 + 0.1 * uniform(key, i));
  }
  return result;
}

Tensor portableFill(const Argument &argument, uint64_t k, double scale,
                    double bias, uint64_t mod) {
  Tensor result(argument.dtype, argument.shape);
  for (int64_t i = 0, e = result.numElements(); i < e; ++i) {
    uint32_t hash = static_cast<uint32_t>(
        static_cast<uint64_t>(i) * 2654435761 + (k + 1) * 40503);
    if (mod)
      result.setInt(i, static_cast<int64_t>((hash >> 8) % mod));
    else
      result.set(i, (hash * 0x1p-32 - 0.5) * scale + bias);
  }
  return result;
}

/// A permutation of `count` numbers that is not the identity if there are two.
static std::vector<int64_t> permutation(int64_t count, uint64_t key) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[mix(key, i) % (i + 1)]);
  if (count > 1 && is_sorted(order))
    std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

Tensor perRank(const Tensor &base, int64_t index, int64_t step,
               int64_t batchDim) {
  if (batchDim < 0 || base.numElements() == 0)
    return base;
  uint64_t key = mix(index, step);
  Tensor result = base;
  if (!isFloat(base.dtype)) {
    std::vector<int64_t> order = permutation(base.numElements(), key);
    for (int64_t i = 0, e = base.numElements(); i < e; ++i)
      result.setInt(i, base.getInt(order[i]));
    return result;
  }

  int64_t batch = base.shape[batchDim];
  std::vector<int64_t> order = permutation(batch, key);
  for (int64_t i = 0; i < batch; ++i)
    result.place(base.slice(batchDim, order[i], batch), batchDim, i, batch);
  double unit = 0.1 * largest(base);
  for (int64_t i = 0, e = result.numElements(); i < e; ++i)
    result.set(i, result.get(i) + unit * uniform(key, i));
  return result;
}

Tensor perVaryingIndex(const Tensor &base, int64_t index) {
  if (index == 0 || !isFloat(base.dtype))
    return base;
  Tensor result = base;
  double unit = 0.1 * largest(base);
  bool negative = false;
  for (int64_t i = 0, e = base.numElements(); i < e; ++i)
    negative |= base.get(i) < 0;
  uint64_t scaleKey = mix(index, 0), shiftKey = mix(index, 1);
  for (int64_t i = 0, e = base.numElements(); i < e; ++i) {
    double value = base.get(i) * (1 + 0.25 * uniform(scaleKey, i)) +
                   unit * uniform(shiftKey, i);
    result.set(i, negative ? value : std::fabs(value));
  }
  return result;
}

Tensor onRank(const Tensor &value, const Argument &argument, int64_t rank) {
  return value.shape == argument.shape ? value : value.row(rank);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// True if a file may leave this argument out.
static bool isOptional(const Argument &argument) {
  return is_contained({"state", "hyper", "seed"}, argument.role);
}

/// An argument for a message: `arg3 (param 'h.0.w')`.
static std::string label(const Argument &argument, size_t index) {
  return "arg" + utostr(index) + " (" + argument.role + " '" + argument.name +
         "')";
}

/// Fills `data` from argN and outN of a safetensors file.
static Error loadSafetensors(ArrayRef<Argument> arguments, int64_t ranks,
                             uint64_t seed, Data &data) {
  Expected<Safetensors> file = readSafetensors(data.path);
  if (!file)
    return file.takeError();
  auto take = [&](const std::string &name) -> std::optional<Tensor> {
    auto node = file->tensors.extract(name);
    if (node.empty())
      return std::nullopt;
    return std::move(node.mapped());
  };

  for (const auto &[index, argument] : enumerate(arguments)) {
    std::string name = label(argument, index);
    std::optional<Tensor> value = take("arg" + utostr(index));
    if (!value && isOptional(argument))
      value = generate(argument, index, seed);
    if (!value)
      return invalid(data.path, name, "no such tensor");
    SmallVector<int64_t> perRankShape(argument.shape);
    perRankShape.insert(perRankShape.begin(), ranks);
    if (value->dtype != argument.dtype ||
        (value->shape != argument.shape && value->shape != perRankShape))
      return invalid(data.path,
                     name + " to be " +
                         describe(argument.dtype, argument.shape) +
                         ", or with one entry per rank " +
                         describe(argument.dtype, perRankShape),
                     describe(value->dtype, value->shape));
    data.arguments.push_back(std::move(*value));
  }
  while (std::optional<Tensor> value =
             take("out" + utostr(data.results.size())))
    data.results.push_back(std::move(*value));
  if (!file->tensors.empty())
    return invalid(data.path,
                   "arg0 to arg" + Twine(int64_t(arguments.size()) - 1) +
                       " and out0, out1, ... only",
                   "'" + file->tensors.begin()->first + "'");
  return Error::success();
}

/// The value of an argument by its entry in a sidecar's `fill`.
static Expected<Tensor> fillOne(const Argument &argument, size_t index,
                                const json::Value &value, StringRef path) {
  auto wrong = [&](const Twine &expected) {
    return invalid(path, expected + " in fill[" + Twine(index) + "]",
                   show(&value));
  };
  const json::Object *entry = value.getAsObject();
  if (!entry)
    return wrong("an object");
  std::optional<StringRef> kind = entry->getString("kind");
  std::optional<int64_t> k = entry->getInteger("k");
  if (!k || *k < 0)
    return wrong("k >= 0");
  if (kind == "hash") {
    std::optional<double> scale = entry->getNumber("scale");
    std::optional<double> bias = entry->getNumber("bias");
    if (!scale || !bias)
      return wrong("numbers scale and bias");
    return portableFill(argument, *k, *scale, *bias, /*mod=*/0);
  }
  if (kind != "hash_int")
    return wrong("kind hash or hash_int");
  std::optional<int64_t> mod = entry->getInteger("mod");
  if (!mod || *mod < 1)
    return wrong("mod >= 1");
  return portableFill(argument, *k, /*scale=*/0, /*bias=*/0, *mod);
}

/// Reads a sidecar's `expected`: numbers, and lists of numbers.
static Error loadExpected(const json::Object &object, Data &data) {
  for (const auto &[key, value] : object) {
    std::vector<double> &numbers = data.expected[key];
    json::Array single{value};
    const json::Array *list = value.getAsArray();
    for (const json::Value &element : list ? *list : single) {
      std::optional<double> number = element.getAsNumber();
      if (!number)
        return invalid(data.path,
                       "numbers as '" + StringRef(key) + "' in expected",
                       show(&element));
      numbers.push_back(*number);
    }
  }
  return Error::success();
}

/// Fills `data` from the `fill` and `expected` of a sidecar. Returns false if
/// it has no `fill`.
static Expected<bool> loadSidecar(ArrayRef<Argument> arguments, uint64_t seed,
                                  Data &data) {
  auto buffer = MemoryBuffer::getFile(data.path);
  if (!buffer)
    return invalid(data.path, "a readable file", buffer.getError().message());
  Expected<json::Value> root = parseJson((*buffer)->getBuffer(), data.path);
  if (!root)
    return root.takeError();
  const json::Object *object = root->getAsObject();
  if (!object)
    return invalid(data.path, "an object", show(&*root));
  const json::Value *fill = object->get("fill");
  if (!fill)
    return false;
  const json::Array *entries = fill->getAsArray();
  if (!entries || entries->size() > arguments.size())
    return invalid(data.path,
                   "a list of at most " + Twine(arguments.size()) +
                       " arguments as fill",
                   entries ? utostr(entries->size()) : show(fill));

  for (const auto &[index, argument] : enumerate(arguments)) {
    if (index >= entries->size() && !isOptional(argument))
      return invalid(data.path, label(argument, index) + " in fill", "nothing");
    Expected<Tensor> value =
        index < entries->size()
            ? fillOne(argument, index, (*entries)[index], data.path)
            : generate(argument, index, seed);
    if (!value)
      return value.takeError();
    data.arguments.push_back(std::move(*value));
  }
  if (const json::Object *expected = object->getObject("expected"))
    if (Error failure = loadExpected(*expected, data))
      return failure;
  return true;
}

Expected<Data> loadData(StringRef modulePath, StringRef dataPath,
                        ArrayRef<Argument> arguments, int64_t ranks,
                        uint64_t seed) {
  Data data;
  auto beside = [&](StringRef extension) {
    SmallString<128> path(modulePath);
    sys::path::replace_extension(path, extension);
    return path.str().str();
  };
  data.path = dataPath.empty() ? beside("safetensors") : dataPath.str();
  bool isSidecar = StringRef(data.path).ends_with(".json");
  if (!isSidecar && (!dataPath.empty() || sys::fs::exists(data.path))) {
    if (Error failure = loadSafetensors(arguments, ranks, seed, data))
      return failure;
    return data;
  }

  if (!isSidecar)
    data.path = beside("json");
  if (isSidecar || sys::fs::exists(data.path)) {
    Expected<bool> filled = loadSidecar(arguments, seed, data);
    if (!filled)
      return filled.takeError();
    if (*filled)
      return data;
    if (isSidecar)
      return invalid(data.path, "a list named fill", "nothing");
  }

  data.path.clear();
  for (const auto &[index, argument] : enumerate(arguments))
    data.arguments.push_back(generate(argument, index, seed));
  return data;
}

} // namespace fsdp::run
