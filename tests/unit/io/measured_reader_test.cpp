#include "io/measured_reader.h"

#include <gtest/gtest.h>

#include "support/documents.h"

namespace phaze::io {
namespace {

using graph::ElementType;
using graph::OpKind;
using plan::MeasuredOperator;
using Lines = std::vector<std::string>;

std::vector<MeasuredOperator> read(const std::string& text) {
  Diagnostics diagnostics;
  auto rows = read_measured(text, "m.csv", diagnostics);
  EXPECT_TRUE(rows) << to_string(diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return rows.value_or(std::vector<MeasuredOperator>{});
}

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_measured(text, "m.csv", diagnostics));
  return tests::lines_of(diagnostics);
}

TEST(MeasuredReader, ShapesInOneCell) {
  const auto rows = read(
      "kind,pass,type,shape,kv_heads,keys,causal,window,time_us\n"
      "product,,,4096x12288x2048,,,,,500\n"
      "gemm,backward,f16,128x256X64x8,,,,,3.5\n"
      "attention,,,2x32x4096x128,8,8192,1,1024,1e3\n"
      "attention,backward,,2x32x4096x128,,,0,,2000\n"
      "rms_norm,forward,f32,4096x8192,,,,,70\n"
      "convolution,,,196x768x768,,,,,9\n");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].kind, OpKind::kProduct);
  EXPECT_EQ(rows[0].product, (graph::ProductShape{1, 4096, 12288, 2048}));
  EXPECT_FALSE(rows[0].is_backward);
  EXPECT_EQ(rows[0].type, ElementType::kBf16);
  EXPECT_DOUBLE_EQ(rows[0].time.value(), 500e-6);
  EXPECT_EQ(rows[1].kind, OpKind::kProduct);
  EXPECT_EQ(rows[1].product, (graph::ProductShape{8, 128, 256, 64}));
  EXPECT_TRUE(rows[1].is_backward);
  EXPECT_EQ(rows[1].type, ElementType::kF16);
  EXPECT_EQ(rows[2].attention, (graph::AttentionShape{2, 32, 8, 4096, 8192, 128, true, 1024}));
  EXPECT_EQ(rows[3].attention, (graph::AttentionShape{2, 32, 32, 4096, 4096, 128, false, 0}));
  EXPECT_EQ(rows[4].rows, 4096);
  EXPECT_EQ(rows[4].columns, 8192);
  EXPECT_EQ(rows[5].product, (graph::ProductShape{1, 196, 768, 768}));
}

TEST(MeasuredReader, ShapesInCellsOfTheirOwn) {
  const auto rows = read(
      "kind,m,n,k,batch,rows,cols,shape,time_ms\n"
      "product,1,2,3,,,,,1\n"
      "product,1.0,2,3,4.0,,,,1\n"
      "product,,,,,,,5x6x7,1\n"
      "gelu,,,,,8,9,,1\n"
      "gelu,,,,,,,8x9,1\n");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].product, (graph::ProductShape{1, 1, 2, 3}));
  EXPECT_EQ(rows[1].product, (graph::ProductShape{4, 1, 2, 3}));
  EXPECT_EQ(rows[2].product, (graph::ProductShape{1, 5, 6, 7}));
  EXPECT_EQ(rows[3], rows[4]);
}

TEST(MeasuredReader, TimesInAnyUnit) {
  EXPECT_EQ(read("kind,shape,time_s\ngelu,1x1,0.25\n")[0].time, Seconds(0.25));
  EXPECT_EQ(read("kind,shape,time_ms\ngelu,1x1,250\n")[0].time, Seconds(0.25));
  EXPECT_EQ(read("kind,shape,time_us\ngelu,1x1,250000\n")[0].time, Seconds(0.25));
}

TEST(MeasuredReader, CommentsQuotesAndLineEnds) {
  const auto rows = read(
      "\xEF\xBB\xBF# measured on a Tuesday\r\n\r\n\"kind\", shape ,time_us\r\n"
      "# the next one was warm\r\n\"gelu\",\"16x32\" , 5 \r\n\r\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].columns, 32);
}

// Sums, copies and casts are the same operator in both passes.
TEST(MeasuredReader, PassesOfOperatorsThatHaveNone) {
  const auto rows = read("kind,pass,shape,time_us\nadd,backward,4x4,5\ngelu,backward,4x4,5\n");
  EXPECT_FALSE(rows[0].is_backward);
  EXPECT_TRUE(rows[1].is_backward);
}

TEST(MeasuredReader, EmptyTables) {
  const std::string header = "m.csv:1:1: error: expected a header such as kind,shape,time_us, ";
  EXPECT_EQ(faults_of(""), (Lines{header + "found nothing"}));
  EXPECT_EQ(faults_of("\n# nothing\n"), (Lines{header + "found nothing"}));
  EXPECT_EQ(faults_of("# a\nkind,shape,time_us\n\n"),
            (Lines{"m.csv:2:1: error: expected rows of measured operators after the header, found "
                   "none"}));
}

TEST(MeasuredReader, Headers) {
  EXPECT_EQ(faults_of("knd,shapes,time_us,colour of the chip,,time_us\n"),
            (Lines{
                "m.csv:1:1: error: unknown column \"knd\"; did you mean kind?",
                "m.csv:1:5: error: unknown column \"shapes\"; did you mean shape?",
                "m.csv:1:20: error: unknown column \"colour of the chip\"; known are kind, pass, "
                "type, shape, m, n, k, batch, rows, cols, kv_heads, keys, causal, window, time_s, "
                "time_ms, time_us",
                "m.csv:1:39: error: expected the name of a column, found nothing",
                "m.csv:1:40: error: time_us: this column is there twice",
                "m.csv:1:1: error: kind: this column is required: expected the name of an "
                "operator, such as product",
                "m.csv:1:1: error: shape: this column is required, or m, n and k, or rows and "
                "cols instead",
            }));
  EXPECT_EQ(faults_of("kind,m,rows\n"),
            (Lines{
                "m.csv:1:1: error: a column of times is required: expected time_s, time_ms or "
                "time_us",
                "m.csv:1:1: error: n: this column is required beside m",
                "m.csv:1:1: error: k: this column is required beside m",
                "m.csv:1:1: error: cols: this column is required beside rows",
            }));
  EXPECT_EQ(faults_of("kind,shape,time_us,time_s\n"),
            (Lines{"m.csv:1:12: error: time_us: times are given twice: as time_s and as time_us"}));
  EXPECT_EQ(faults_of("kind;shape;time_us\n")[0],
            "m.csv:1:1: error: expected names of columns with commas between them, found "
            "\"kind;shape;time_us\"");
  EXPECT_EQ(
      faults_of("kind,\"shape\n"),
      (Lines{
          "m.csv:1:6: error: expected a closing quote on this line: cells hold no line breaks"}));
}

TEST(MeasuredReader, AllFaultsAtOnceWithTheirPlaces) {
  EXPECT_EQ(
      faults_of("kind,shape,time_us,pass,type\n"
                "gelu,4x4\n"
                "gelu,4x4,1,,,7\n"
                "gellu,4x4,1,,\n"
                ",4x4,1,,\n"
                "all_reduce,4x4,1,,\n"
                "view,4x4,1,,\n"
                "gelu,4x4,fast,foward,fp32\n"
                "gelu,,,backward,i8\n"
                "\"gelu,4x4,1,,\n"),
      (Lines{
          "m.csv:2:9: error: expected 5 cells as in the header on line 1, found 2",
          "m.csv:3:14: error: expected 5 cells as in the header on line 1, found 6",
          "m.csv:4:1: error: kind: expected the name of an operator, found \"gellu\"; did "
          "you mean gelu?",
          "m.csv:5:1: error: kind: expected the name of an operator, found nothing",
          "m.csv:6:1: error: kind: expected an operator of one chip, found \"all_reduce\", "
          "whose time is the cluster's",
          "m.csv:7:1: error: kind: expected an operator that takes time, found \"view\"",
          "m.csv:8:22: error: type: expected one of f32, f16, bf16, f8 and i8, found "
          "\"fp32\"",
          "m.csv:8:15: error: pass: expected forward or backward, found \"foward\"; did you "
          "mean forward?",
          "m.csv:8:10: error: time_us: expected a time above 0, found \"fast\"",
          "m.csv:9:8: error: pass: expected forward: there are no gradients in i8",
          "m.csv:9:1: error: time_us: expected a time above 0, found nothing",
          "m.csv:9:1: error: shape: expected ROWSxCOLUMNS for gelu, found nothing",
          "m.csv:10:1: error: expected a closing quote on this line: cells hold no line breaks",
      }));
}

TEST(MeasuredReader, TimesThatAreNone) {
  const auto fault = [](const std::string& time) {
    const Lines lines = faults_of("kind,shape,time_ms\ngelu,4x4," + time + "\n");
    EXPECT_EQ(lines.size(), 1U) << tests::joined(lines);
    const std::string place = "m.csv:2:10: error: time_ms: ";
    EXPECT_EQ(lines[0].substr(0, place.size()), place);
    return lines[0].substr(place.size());
  };
  for (const std::string time : {"0", "-1", "nan", "inf", "1e999", "1 ms", "0x10"}) {
    EXPECT_EQ(fault(time), "expected a time above 0, found \"" + time + "\"");
  }
  EXPECT_EQ(fault("1e-20"), "expected a time from 1e-12 s to 1e+06 s, found \"1e-20\"");
  EXPECT_EQ(fault("1e300"), "expected a time from 1e-12 s to 1e+06 s, found \"1e300\"");
}

TEST(MeasuredReader, ShapesThatAreNone) {
  const auto fault = [](const std::string& kind, const std::string& shape) {
    const Lines lines = faults_of("kind,shape,time_ms\n" + kind + "," + shape + ",1\n");
    EXPECT_EQ(lines.size(), 1U) << tests::joined(lines);
    const std::string place =
        "m.csv:2:" + std::to_string(kind.size() + 2) + ": error: shape: expected ";
    EXPECT_EQ(lines[0].substr(0, place.size()), place);
    return lines[0].substr(place.size());
  };
  EXPECT_EQ(fault("product", "4x4"), "MxNxK or MxNxKxBATCH for product, found \"4x4\"");
  EXPECT_EQ(fault("product", "4x4x4x4x4"), "MxNxK or MxNxKxBATCH for product, found \"4x4x4x4x4\"");
  EXPECT_EQ(fault("product", "4x4xk"), "MxNxK or MxNxKxBATCH for product, found \"4x4xk\"");
  EXPECT_EQ(fault("product", "4x4x"), "MxNxK or MxNxKxBATCH for product, found \"4x4x\"");
  EXPECT_EQ(fault("attention", "1x2x3"),
            "BATCHxHEADSxQUERIESxHEAD_DIM for attention, found \"1x2x3\"");
  EXPECT_EQ(fault("gelu", "4"), "ROWSxCOLUMNS for gelu, found \"4\"");
  EXPECT_EQ(fault("gelu", "0x4"), "extents from 1 to 1,099,511,627,776, found \"0x4\"");
  EXPECT_EQ(fault("gelu", "-4x4"), "extents from 1 to 1,099,511,627,776, found \"-4x4\"");
  EXPECT_EQ(fault("gelu", "99999999999999x4"),
            "extents from 1 to 1,099,511,627,776, found \"99999999999999x4\"");
  EXPECT_EQ(fault("gelu", "99999999999999999999x4"),
            "ROWSxCOLUMNS for gelu, found \"99999999999999999999x4\"");
  const std::string most = "at most 1,099,511,627,776 elements in an operand or result, found more";
  EXPECT_EQ(fault("gelu", "1048577x1048576"), most);
  EXPECT_EQ(fault("product", "1048577x1x1048576"), most);
  EXPECT_EQ(fault("product", "1048576x1048576x1x2"), most);
  EXPECT_EQ(fault("attention", "1x1x1073741824x2048"), most);
  EXPECT_EQ(fault("attention", "1024x1x1073741824x1"),
            "at most 1,125,899,906,842,624 scores of queries and keys, found more");
}

TEST(MeasuredReader, CellsThatMeanNothing) {
  EXPECT_EQ(faults_of("kind,shape,m,n,k,rows,cols,causal,time_us\n"
                      "product,1x1x1,4,,,,,,1\n"
                      "product,,4,0,,,,,1\n"
                      "gelu,,,,,4,x,1,1\n"
                      "attention,1x1x1x1,,,,2,,maybe,1\n"),
            (Lines{
                "m.csv:2:15: error: m: means nothing for product beside shape: expected an empty "
                "cell",
                "m.csv:3:12: error: n: expected a whole number from 1 to 1,099,511,627,776, found "
                "\"0\"",
                "m.csv:3:1: error: k: expected a whole number from 1 to 1,099,511,627,776, found "
                "nothing",
                "m.csv:4:14: error: causal: means nothing for gelu: expected an empty cell",
                "m.csv:4:12: error: cols: expected a whole number from 1 to 1,099,511,627,776, "
                "found \"x\"",
                "m.csv:5:22: error: rows: means nothing for attention: expected an empty cell",
                "m.csv:5:25: error: causal: expected 0 or 1, found \"maybe\"",
            }));
  EXPECT_EQ(faults_of("kind,shape,kv_heads,window,time_us\nattention,1x6x8x8,4,2,1\n"),
            (Lines{
                "m.csv:2:19: error: kv_heads: expected a divisor of the 6 heads, found 4",
                "m.csv:2:21: error: window: a window needs causal to be 1",
            }));
  // A column of shapes is asked for where the others could not say it.
  EXPECT_EQ(faults_of("kind,m,n,k,time_us\ngelu,,,,1\n"),
            (Lines{"m.csv:2:1: error: shape: expected ROWSxCOLUMNS for gelu, found nothing"}));
}

TEST(MeasuredReader, RepeatedMeasurements) {
  EXPECT_EQ(read("kind,shape,time_us\ngelu,4x4,1\ngelu,4x4,2\n").size(), 2U);
  EXPECT_EQ(faults_of("kind,shape,time_us,pass\n"
                      "gelu,4x4,8,\n"
                      "gelu,4x4,9,backward\n"
                      "silu,4x4,1,\n"
                      "gelu,4x4,7,\n"
                      "gelu,4x4,3,\n"
                      "silu,4x4,2.1,\n"),
            (Lines{
                "m.csv:6:10: error: time_us: expected a time within a factor of 2 of the same "
                "operator's on line 2 (8e-06 s), found 3e-06 s",
                "m.csv:7:10: error: time_us: expected a time within a factor of 2 of the same "
                "operator's on line 4 (1e-06 s), found 2.1e-06 s",
            }));
}

TEST(MeasuredReader, TwentyFaultsAreShown) {
  std::string text = "kind,shape,time_us\n";
  for (int i = 0; i < 25; ++i) {
    text += "gelu,4x4,0\n";
  }
  const Lines lines = faults_of(text);
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[19].substr(0, 11), "m.csv:21:10");
  EXPECT_EQ(lines[20], "m.csv: error: 5 more faults are not shown");
}

TEST(MeasuredReader, TextOnly) {
  EXPECT_EQ(faults_of("kind,shape,time_us\ngelu,\xFF,1\n"),
            (Lines{"m.csv:2:6: error: expected UTF-8 text, found a byte that is none"}));
  EXPECT_EQ(faults_of(std::string("kind\0", 5)),
            (Lines{"m.csv: error: expected text, found binary data"}));
}

TEST(MeasuredReader, AMillionRowsAreEnough) {
  std::string text = "kind,shape,time_s\n";
  constexpr int kRows = 1'000'001;
  for (int i = 0; i < kRows; ++i) {
    text += "add,1x1,1\n";
  }
  EXPECT_EQ(faults_of(text), (Lines{"m.csv:1000002:1: error: expected at most 1,000,000 rows, "
                                    "found more"}));
}

}  // namespace
}  // namespace phaze::io
