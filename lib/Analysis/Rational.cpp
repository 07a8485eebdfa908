// SPDX-License-Identifier: Apache-2.0
//===- Rational.cpp - exact scales ----------------------------------------===//
#include "fsdp/Analysis/Rational.h"

#include <cmath>
#include <limits>

using namespace fsdp;

std::optional<Rational> Rational::get(__int128 numerator,
                                      __int128 denominator) {
  if (!denominator)
    return std::nullopt;
  __int128 a = numerator < 0 ? -numerator : numerator;
  __int128 b = denominator < 0 ? -denominator : denominator;
  while (b)
    std::swap(a %= b, b);
  if (denominator < 0)
    a = -a;
  numerator /= a;
  denominator /= a;
  constexpr __int128 limit = std::numeric_limits<int64_t>::max();
  if (numerator > limit || numerator < -limit || denominator > limit)
    return std::nullopt;
  Rational result{int64_t(numerator)};
  result.denominator = int64_t(denominator);
  return result;
}

std::optional<Rational> Rational::fromFloat(double value, unsigned bits) {
  double precision = 1.0 / double(int64_t(1) << (bits - 1));
  constexpr double largest = 1 << 24;
  if (!std::isfinite(value) || std::fabs(value) > largest)
    return std::nullopt;
  // Continued fraction: each convergent is the best one of its size.
  int64_t p0 = 1, q0 = 0, p1 = int64_t(std::floor(value)), q1 = 1;
  double rest = value - std::floor(value);
  while (std::fabs(value - double(p1) / double(q1)) >
         std::fabs(value) * precision) {
    if (rest == 0)
      return std::nullopt;
    double next = 1 / rest;
    double digit = std::floor(next);
    rest = next - digit;
    if (digit * double(q1) + double(q0) > largest)
      return std::nullopt;
    int64_t p = int64_t(digit) * p1 + p0, q = int64_t(digit) * q1 + q0;
    p0 = p1;
    q0 = q1;
    p1 = p;
    q1 = q;
  }
  return get(p1, q1);
}

std::optional<Rational> Rational::operator*(Rational other) const {
  return get(__int128(numerator) * other.numerator,
             __int128(denominator) * other.denominator);
}

std::optional<Rational> Rational::operator/(Rational other) const {
  return get(__int128(numerator) * other.denominator,
             __int128(denominator) * other.numerator);
}

std::optional<Rational> Rational::operator+(Rational other) const {
  return get(__int128(numerator) * other.denominator +
                 __int128(other.numerator) * denominator,
             __int128(denominator) * other.denominator);
}

Rational Rational::operator-() const {
  Rational result(-numerator);
  result.denominator = denominator;
  return result;
}

llvm::raw_ostream &fsdp::operator<<(llvm::raw_ostream &os, Rational value) {
  os << value.numerator;
  if (value.denominator != 1)
    os << "/" << value.denominator;
  return os;
}
