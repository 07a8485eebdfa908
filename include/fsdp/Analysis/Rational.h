// SPDX-License-Identifier: Apache-2.0
//===- Rational.h - exact scales --------------------------------*- C++ -*-===//
#ifndef FSDP_ANALYSIS_RATIONAL_H
#define FSDP_ANALYSIS_RATIONAL_H

#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>

namespace fsdp {

/// A fraction in lowest terms with a positive denominator.
class Rational {
public:
  Rational(int64_t number = 0) : numerator(number) {}
  /// Nothing where the denominator is zero or a part does not fit.
  static std::optional<Rational> get(__int128 numerator, __int128 denominator);
  /// The simplest fraction that rounds to `value` in a float of that precision;
  /// nothing for one that takes a denominator above 2^24.
  static std::optional<Rational> fromFloat(double value, unsigned bits = 24);

  std::optional<Rational> operator*(Rational other) const;
  std::optional<Rational> operator/(Rational other) const;
  std::optional<Rational> operator+(Rational other) const;
  Rational operator-() const;
  bool isNegative() const { return numerator < 0; }
  bool operator==(Rational other) const {
    return numerator == other.numerator && denominator == other.denominator;
  }
  bool operator!=(Rational other) const { return !(*this == other); }

private:
  friend llvm::raw_ostream &operator<<(llvm::raw_ostream &, Rational);
  int64_t numerator, denominator = 1;
};

/// Prints `1/8`, or `3`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Rational value);

} // namespace fsdp

#endif // FSDP_ANALYSIS_RATIONAL_H
