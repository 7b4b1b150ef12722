// Light and dark: as the system says, or as the reader chose. Charts take their colours from here.

export type Choice = "auto" | "light" | "dark";

const KEY = "phaze-theme";
const listeners: (() => void)[] = [];
let system: MediaQueryList | null = null;
let isPrinting = false;

function stored(): Choice {
  try {
    const value = window.localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto"; // some browsers keep nothing for files
  }
}

let chosen: Choice = "auto";

export function isDark(): boolean {
  return !isPrinting && (chosen === "dark" || (chosen === "auto" && system?.matches === true));
}

function apply(): void {
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
  for (const listener of listeners) {
    listener();
  }
}

export function choice(): Choice {
  return chosen;
}

export function choose(theme: Choice): void {
  chosen = theme;
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // then it lasts as long as the page
  }
  apply();
}

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

export function startTheme(): void {
  chosen = stored();
  system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", apply);
  window.addEventListener("beforeprint", () => {
    isPrinting = true;
    apply();
  });
  window.addEventListener("afterprint", () => {
    isPrinting = false;
    apply();
  });
  apply();
}

/** A colour of the style sheet, such as "--text". */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colours that are told apart by those who see fewer of them too (Okabe and Ito), by name. */
export const PARTS = {
  blue: "--blue",
  orange: "--orange",
  green: "--green",
  pink: "--pink",
  sky: "--sky",
  red: "--red",
  yellow: "--yellow",
  grey: "--grey",
} as const;

/** From 0 to 1: dark blue over green to yellow, lighter on dark pages. */
export function ramp(share: number): string {
  const stops = isDark()
    ? [
        [94, 90, 190],
        [66, 130, 190],
        [50, 170, 150],
        [120, 205, 90],
        [250, 230, 70],
      ]
    : [
        [68, 20, 110],
        [50, 85, 150],
        [20, 135, 135],
        [90, 175, 50],
        [225, 180, 0],
      ];
  const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1);
  const low = Math.floor(at);
  const part = at - low;
  const mixed = (stops[low] as number[]).map((value, i) =>
    Math.round(value + part * (((stops[low + 1] as number[])[i] as number) - value)),
  );
  return `rgb(${mixed.join(",")})`;
}
