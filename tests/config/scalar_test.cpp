#include "config/scalar.hpp"

#include "support/catch.hpp"

#include <clocale>
#include <cmath>
#include <limits>

using namespace lightrun::config;

TEST_CASE("only true and false are booleans") {
  CHECK(parse_bool("true").value == true);
  CHECK(parse_bool("false").value == false);
  for (const char* text : {"yes", "no", "on", "off", "True", "FALSE", "1", "0", ""}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bool(text).value);
  }
}

TEST_CASE("a whole number may be decimal, hexadecimal, or with an exponent that leaves it whole") {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"7", 7},
      {"+7", 7},
      {"-7", -7},
      {"1e3", 1000},
      {"2.5e3", 2500},
      {"1200e-2", 12},
      {"1E2", 100},
      {"0x1f", 31},
      {"0e5", 0},
      {"9223372036854775807", std::numeric_limits<int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<int64_t>::min()},
  };
  for (const auto& [text, value] : cases) {
    CAPTURE(text);
    CHECK(parse_int(text).value == value);
  }
}

TEST_CASE("what is not surely a whole number is refused") {
  for (const char* text : {"",
                           "-",
                           "five",
                           "3.0",
                           "3.5",
                           "1e-1",
                           "2.55e1",
                           "1e",
                           "e3",
                           "--1",
                           "1 2",
                           "0x",
                           "0xg",
                           "-0x1",
                           "1_000",
                           "0o17",
                           "1,5",
                           ".inf",
                           "9223372036854775808",
                           "1e19",
                           "1e999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int(text).value);
  }
  CHECK(parse_int("1_000").error == "no _ inside a number: write 1000");
  CHECK(parse_int("0o17").error == "octal numbers are not taken: write it in decimal");
  CHECK(parse_int("1e19").error == "beyond 64 bits (at most 9223372036854775807)");
}

TEST_CASE("H16: a leading zero is refused for every kind of number") {
  CHECK(parse_int("010").error == "a leading zero is octal to some readers and decimal to others: write 10");
  CHECK(parse_int("-08").error == "a leading zero is octal to some readers and decimal to others: write -8");
  CHECK(parse_double("010").error ==
        "a leading zero is octal to some readers and decimal to others: write 10");
  CHECK(parse_limit("010").error ==
        "a leading zero is octal to some readers and decimal to others: write 10");
  CHECK_FALSE(parse_double("00.5").value);
  CHECK(parse_double("0.5").value == 0.5);
  CHECK(parse_int("0").value == 0);
}

TEST_CASE("numbers are the nearest doubles, whatever the locale") {
  const std::pair<const char*, double> cases[] = {{"0.1", 0.1},     {"1e-3", 0.001}, {"64", 64.0},
                                                  {".5", 0.5},      {"5.", 5.0},     {"+2.5", 2.5},
                                                  {"-0.25", -0.25}, {"0x10", 16.0},  {"1e300", 1e300}};
  const char* german = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where it is installed: a decimal comma
  for (const auto& [text, value] : cases) {
    CAPTURE(text, german);
    CHECK(parse_double(text).value == value);
  }
  CHECK(print_double(0.5) == "0.5");
  std::setlocale(LC_NUMERIC, "C");
  CHECK(std::isnan(*parse_double(".nan").value));
  CHECK(parse_double("-.inf").value == -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "abc", "nan", "inf", "0,5", "1e", ".", "1e999", "1e-999", "1.2.3"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text).value);
  }
}

TEST_CASE("H20: without a point a limit counts, with one it is an exact fraction") {
  CHECK(parse_limit("1").value == Limit::of_count(1));
  CHECK(parse_limit("1.0").value == Limit::all());
  CHECK(parse_limit("0").value == Limit::of_count(0));
  CHECK(parse_limit("1e3").value == Limit::of_count(1000));
  CHECK(parse_limit("0.29").value == Limit{.kind = Limit::Kind::fraction, .digits = 29, .scale = 2});
  CHECK(parse_limit("0.50").value == Limit{.kind = Limit::Kind::fraction, .digits = 5, .scale = 1});
  CHECK(parse_limit("5e-1").value == Limit{.kind = Limit::Kind::fraction, .digits = 5, .scale = 1});
  CHECK(parse_limit("0.0").value == Limit{.kind = Limit::Kind::fraction, .digits = 0, .scale = 0});
  CHECK(parse_limit("0.000000000000000001").value ==
        Limit{.kind = Limit::Kind::fraction, .digits = 1, .scale = 18});
}

TEST_CASE("H20: a limit above all, below nothing, or not a number is refused") {
  for (const char* text : {"1.5", "10.0", "1.0000001", "1.0e3", "-1", "-0.5", ".nan", ".inf", "abc", "",
                           "50%", "0.0000000000000000001"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_limit(text).value);
  }
  CHECK(parse_limit("1.5").error == "a fraction must be at most 1.0 (without a point it is a count)");
  CHECK(parse_limit("-1").error == "must not be negative");
}

TEST_CASE("a limit is written as a config has it") {
  CHECK(Limit::of_count(12).text() == "12");
  CHECK(Limit::all().text() == "1.0");
  for (const char* text :
       {"0.29", "0.5", "0.005", "0.0", "1", "0", "0.000000000000000001", "0.999999999999999999"}) {
    CHECK(parse_limit(text).value->text() == text);
  }
}

TEST_CASE("H36: a double is written shortest, and is seen to be one") {
  CHECK(print_double(0.1) == "0.1");
  CHECK(print_double(1) == "1.0");
  CHECK(print_double(-0.0) == "-0.0");
  CHECK(print_double(1e-8) == "1.0e-08");
  CHECK(print_double(1e22) == "1.0e+22");
  CHECK(print_double(0.1 + 0.2) == "0.30000000000000004");
  CHECK(print_double(std::nan("")) == ".nan");
  for (const double value : {1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.125}) {
    CHECK(parse_double(print_double(value)).value == value);
  }
}

TEST_CASE("text that means something else unquoted is known") {
  for (const char* text :
       {"",    "~",   "null", "Null", "true", "False", "yes",  "No",   "on",   "OFF",        "y",    "010",
        "1.0", "1e3", "-1",   "+.5",  ".5",   ".inf",  ".NaN", "0x1f", "1:30", "2024-01-01", "1_000"}) {
    CAPTURE(text);
    CHECK_FALSE(reads_as_text(text));
  }
  for (const char* text :
       {"digits", "nullable", "yesterday", "./m.so", "../m.so", "/m.so", "cuda:0", "-x", "a b"}) {
    CAPTURE(text);
    CHECK(reads_as_text(text));
  }
}
