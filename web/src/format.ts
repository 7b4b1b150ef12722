// Numbers for people: units everywhere, three significant digits.

const LARGE = ["", "k", "M", "G", "T", "P", "E"];
const SMALL = ["", "m", "µ", "n", "p"];

/** Three significant digits, thousands apart: 1,234,567; 12.3; 0.0123. */
export function digits(value: number, significant = 3): string {
  if (!Number.isFinite(value)) {
    return "–";
  }
  if (value === 0) {
    return "0";
  }
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size >= 6 && !Number.isInteger(value)) {
    return value.toExponential(significant - 1);
  }
  const places = Number.isInteger(value) ? 0 : Math.max(0, significant - 1 - size);
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(12, places) });
}

/** 1234567, "B/s": "1.23 MB/s". */
export function withPrefix(value: number, unit: string): string {
  if (!Number.isFinite(value)) {
    return "–";
  }
  let step = 0;
  let scaled = Math.abs(value);
  while (scaled >= 999.5 && step < LARGE.length - 1) {
    scaled /= 1000;
    step += 1;
  }
  while (scaled > 0 && scaled < 0.9995 && step > 1 - SMALL.length) {
    scaled *= 1000;
    step -= 1;
  }
  const prefix = step >= 0 ? LARGE[step] : SMALL[-step];
  return `${digits(Math.sign(value) * Number(scaled.toPrecision(3)))} ${prefix}${unit}`.trim();
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let step = 0;
  let scaled = Math.abs(value);
  while (scaled >= 1023.5 && step < units.length - 1) {
    scaled /= 1024;
    step += 1;
  }
  return `${digits(Math.sign(value) * Number(scaled.toPrecision(3)))} ${units[step]}`;
}

export const seconds = (value: number): string => withPrefix(value, "s");

export function percent(share: number, sign = false): string {
  const value = 100 * share;
  const size = Math.abs(value);
  const text = size >= 99.95 ? Math.abs(value).toFixed(0) : digits(Number(size.toPrecision(3)));
  const mark = value < 0 && text !== "0" ? "−" : sign && value > 0 ? "+" : "";
  return `${mark}${text} %`;
}

/** What the last part of a key says: "area_mm2" is "area" in mm². */
export function nameOf(key: string): { label: string; unit: string } {
  const ends: [string, string][] = [
    ["_sequences_per_s", "sequences/s"],
    ["_bytes_per_s", "B/s"],
    ["_mm2", "mm²"],
    ["_usd", "USD"],
    ["_bytes", "B"],
    ["_kg", "kg CO₂e"],
    ["_hz", "Hz"],
    ["_w", "W"],
    ["_s", "s"],
  ];
  for (const [end, unit] of ends) {
    if (key.endsWith(end)) {
      return { label: words(key.slice(0, -end.length)), unit };
    }
  }
  return { label: words(key), unit: "" };
}

/** "tensor_cores.count": "tensor cores count"; "tdp": "design power". */
export function words(key: string): string {
  const known: Record<string, string> = {
    tdp: "design power",
    hbm: "HBM",
    memory_phy: "memory interface",
    link_phy: "links",
  };
  return (
    known[key] ??
    key
      .replace(/[_.]/g, " ")
      .replace(/\bhbm\b/g, "HBM")
      .trim()
  );
}

export function quantity(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return "–";
  }
  switch (unit) {
    case "":
      return digits(value);
    case "B":
      return bytes(value);
    case "s":
    case "B/s":
    case "Hz":
    case "FLOP/s":
      return withPrefix(value, unit);
    default:
      return `${digits(value)} ${unit}`;
  }
}

/** 1 "stage", 2 "stages". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${digits(count)} ${count === 1 ? one : many}`;
}

/** The unit of a search's value. */
export function objectiveUnit(objective: string, models: number, combination?: string): string {
  if (models > 1 && combination !== "raw") {
    return "";
  }
  const units: Record<string, string> = {
    throughput: "sequences/s",
    "per-watt": "sequences/s/W",
    "per-dollar": "sequences/USD",
    "per-carbon": "sequences/kg CO₂e",
  };
  return units[objective] ?? "";
}
