import { describe, expect, it } from "vitest";
import { bytes, digits, nameOf, objectiveUnit, percent, plural, quantity, seconds, withPrefix } from "../src/format";

describe("numbers for people", () => {
  it("have three significant digits", () => {
    expect(digits(84.93)).toBe("84.9");
    expect(digits(0.012345)).toBe("0.0123");
    expect(digits(29360)).toBe("29,360");
    expect(digits(0)).toBe("0");
    expect(digits(NaN)).toBe("–");
    expect(digits(-2.345)).toBe("-2.35");
  });
  it("take prefixes that round as the number does", () => {
    expect(withPrefix(1.2e12, "B/s")).toBe("1.2 TB/s");
    expect(withPrefix(999.7, "s")).toBe("1 ks");
    expect(withPrefix(0.00123, "s")).toBe("1.23 ms");
    expect(withPrefix(0, "s")).toBe("0 s");
    expect(withPrefix(-0.5, "s")).toBe("-500 ms");
    expect(seconds(9.94)).toBe("9.94 s");
  });
  it("count bytes by 1024", () => {
    expect(bytes(64 * 2 ** 30)).toBe("64 GiB");
    expect(bytes(1023.9)).toBe("1 KiB");
    expect(bytes(-512)).toBe("-512 B");
  });
  it("say shares", () => {
    expect(percent(0.333)).toBe("33.3 %");
    expect(percent(-0.0044)).toBe("−0.44 %");
    expect(percent(0.118, true)).toBe("+11.8 %");
    expect(percent(1)).toBe("100 %");
    expect(percent(0)).toBe("0 %");
  });
  it("carry the unit that a key names", () => {
    expect(nameOf("area_mm2")).toEqual({ label: "area", unit: "mm²" });
    expect(nameOf("tdp_w")).toEqual({ label: "design power", unit: "W" });
    expect(nameOf("throughput_gpt3-175b_sequences_per_s")).toEqual({
      label: "throughput gpt3-175b",
      unit: "sequences/s",
    });
    expect(quantity(256.4, "mm²")).toBe("256 mm²");
    expect(quantity(undefined, "mm²")).toBe("–");
    expect(plural(1, "stage")).toBe("1 stage");
    expect(plural(20, "stage")).toBe("20 stages");
  });
  it("know the unit of an objective", () => {
    expect(objectiveUnit("per-watt", 1)).toBe("sequences/s/W");
    expect(objectiveUnit("throughput", 3, "mean")).toBe("");
    expect(objectiveUnit("throughput", 3, "raw")).toBe("sequences/s");
  });
});
