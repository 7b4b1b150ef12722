// Debian's Chromium, driven by Playwright from web/node_modules.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const KNOWN = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function browserPath() {
  const path = process.env.PHAZE_BROWSER ?? KNOWN.find((each) => existsSync(each));
  if (!path) {
    throw new Error("no Chromium: install Debian's chromium, or name one by PHAZE_BROWSER");
  }
  return path;
}

export async function launch() {
  // As root Chromium has no sandbox; what it opens are files that the test made.
  const args = ["--disable-dev-shm-usage", "--disable-gpu"];
  if (process.getuid?.() === 0) {
    args.push("--no-sandbox");
  }
  return chromium.launch({
    executablePath: browserPath(),
    args,
    timeout: 60_000,
  });
}
