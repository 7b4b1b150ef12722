// An opened report, and what every page is held to.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

/** Opens the page; `faults` collects whatever the browser complains about. */
export async function open(browser, path, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && faults.push(`${message.type()}: ${message.text()}`),
  );
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
  return { page, faults, close: () => context.close() };
}

/** Nothing to complain about, all parts drawn, nothing wider than the window. */
export async function expectSound({ page, faults }) {
  assert.deepEqual(faults, []);
  assert.deepEqual(await page.locator(".fault").allTextContents(), []);
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} pixels wide in a window of ${window}`);
}

export function figure(page, key, at = 0) {
  return page.locator(`[data-figure="${key}"]`).nth(at).textContent();
}

/** The colours of a canvas's pixels, counted: is anything drawn? */
export function coloursOf(locator) {
  return locator.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
    }
    return seen.size;
  });
}

export const digits = (value) => {
  const size = Math.floor(Math.log10(Math.abs(value)));
  const places = Number.isInteger(value) ? 0 : Math.max(0, 2 - size);
  return value.toLocaleString("en-US", { maximumFractionDigits: places });
};

/** The headline of a sortable column is pressed; the keys of its cells afterwards. */
export async function sortBy(table, column) {
  const names = await table.locator("thead th").allTextContents();
  const index = names.indexOf(column);
  assert.ok(index >= 0, `${column} of ${names}`);
  await table.locator("thead th button").nth(index).click();
  return {
    texts: await table.locator(`tbody tr td:nth-child(${index + 1})`).allTextContents(),
    sort: await table.locator("thead th").nth(index).getAttribute("aria-sort"),
  };
}
