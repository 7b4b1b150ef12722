// Slow: what one can do with the reports of report_test.mjs. Hover, pin, brush, sort, themes, narrow windows, keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { digits, expectSound, open, sortBy } from "./pages.mjs";
import { makeFolder, smallPlan, smallStudy } from "./reports.mjs";

let browser, folder, study, plan;
before(async () => {
  folder = makeFolder();
  study = smallStudy(folder);
  plan = smallPlan(folder);
  browser = await launch();
});
after(() => browser?.close());

test("a study: hover, pin, brush, ranges, sort", async () => {
  const opened = await open(browser, study.page);
  const { page } = opened;
  const { stored } = { stored: study.report.study };
  const box = page.locator(".scatter");
  await box.scrollIntoViewIfNeeded();
  const place = await box.boundingBox();
  // The best chip has a ring: hover over points until the tip names it.
  const tip = box.locator(".tip");
  const ids = new Set();
  for (let i = 0; i < 400 && ids.size < 3; i++) {
    await page.mouse.move(
      place.x + 80 + ((i * 137) % (place.width - 110)),
      place.y + 32 + ((i * 71) % (place.height - 90)),
    );
    if (await tip.isVisible()) {
      ids.add(await tip.locator("strong").textContent());
    }
  }
  assert.ok(ids.size >= 3, `hovering found ${[...ids]}`);
  for (const id of ids) {
    assert.ok(stored.chips.id.includes(id), id);
  }
  // The best is pinned from the start; a press pins another beside it, in the table too.
  const pins = page.locator(".pins");
  assert.equal(await pins.locator("thead th").count(), 2);
  const other = stored.chips.id.findIndex(
    (id, i) => stored.chips.state[i] === "evaluated" && id !== study.report.search.best.chip,
  );
  const table = page.locator("table", { hasText: "chips shown" });
  await page.getByRole("button", { name: `Pin ${stored.chips.id[other]}`, exact: true }).click();
  assert.equal(await pins.locator("thead th").count(), 4);
  const area = pins.locator("tbody tr", {
    has: page.locator("th", { hasText: /^area$/ }),
  });
  const areas = stored.chips.metrics.area_mm2;
  const bestAt = stored.chips.id.indexOf(study.report.search.best.chip);
  assert.deepEqual(
    (await area.locator("td").allTextContents()).slice(0, 2),
    [bestAt, other].map((i) => `${digits(areas[i])} mm²`),
  );
  // A drag keeps a part.
  const before = Number(await page.locator("[data-shown]").getAttribute("data-shown"));
  await box.scrollIntoViewIfNeeded();
  const now = await box.boundingBox();
  await page.mouse.move(now.x + now.width / 2, now.y + 40);
  await page.mouse.down();
  await page.mouse.move(now.x + now.width - 22, now.y + now.height - 60, {
    steps: 4,
  });
  await page.mouse.up();
  const kept = Number(await page.locator("[data-shown]").getAttribute("data-shown"));
  assert.ok(kept > 0 && kept < before, `${kept} of ${before} are kept`);
  const range = page.getByRole("button", { name: /^Remove the range area/ });
  assert.equal(await range.count(), 1);
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await page.locator("[data-shown]").getAttribute("data-shown"), String(before));
  // The same by numbers.
  await page.getByText("Ranges by number").click();
  const most = areas[bestAt];
  await page.getByLabel(/^area to/).fill(String(most));
  await page.getByLabel(/^area to/).press("Tab");
  assert.equal(
    await page.locator("[data-shown]").getAttribute("data-shown"),
    String(areas.filter((each) => each <= most).length),
  );
  await page.getByRole("button", { name: "Show all" }).click();
  // Heads sort, both ways.
  const sorted = [...areas].sort((a, b) => b - a).map((each) => `${digits(each)} mm²`);
  const down = await sortBy(table, "area");
  assert.equal(down.sort, "descending");
  assert.deepEqual(down.texts, sorted.slice(0, down.texts.length));
  const up = await sortBy(table, "area");
  assert.equal(up.sort, "ascending");
  assert.deepEqual(up.texts, sorted.reverse().slice(0, up.texts.length));
  // Another axis redraws.
  await page.getByLabel("Across").selectOption("tdp_w");
  await page.getByLabel("Colour", { exact: true }).selectOption("tensor_cores.count");
  await expectSound(opened);
  await opened.close();
});

test("themes, narrow windows, keys, the document saved", async () => {
  for (const { page: path, report } of [study, plan]) {
    for (const [width, colorScheme] of [
      [1280, "dark"],
      [400, "light"],
      [400, "dark"],
    ]) {
      const opened = await open(browser, path, {
        viewport: { width, height: 800 },
        colorScheme,
      });
      await expectSound(opened);
      const dark = () => opened.page.evaluate(() => document.documentElement.dataset.theme === "dark");
      const light = () =>
        opened.page.evaluate(() => {
          const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
          return (r + g + b) / 3;
        });
      assert.equal(await dark(), colorScheme === "dark");
      assert.equal((await light()) < 100, colorScheme === "dark");
      await opened.page
        .getByRole("button", {
          name: colorScheme === "dark" ? "Light" : "Dark",
          exact: true,
        })
        .click();
      assert.equal(await dark(), colorScheme !== "dark");
      await expectSound(opened);
      await opened.close();
    }
    const opened = await open(browser, path, { acceptDownloads: true });
    await opened.page.keyboard.press("Tab");
    assert.equal(await opened.page.evaluate(() => document.activeElement.textContent), "To the content");
    // What can be reached by keys has a name, and so has every picture.
    const nameless = await opened.page.evaluate(() =>
      [...document.querySelectorAll("button, select, input, a, [role=img], [tabindex]")]
        .filter(
          (each) =>
            !(
              each.getAttribute("aria-label") ||
              each.textContent.trim() ||
              (each.id && document.querySelector(`label[for="${each.id}"]`))
            ),
        )
        .map((each) => each.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(nameless, []);
    const [download] = await Promise.all([
      opened.page.waitForEvent("download"),
      opened.page.getByRole("button", { name: "Download JSON" }).click(),
    ]);
    const { readFileSync } = await import("node:fs");
    assert.deepEqual(JSON.parse(readFileSync(await download.path(), "utf8")), report);
    await opened.close();
  }
});

test("texts stand out from what is behind them", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const opened = await open(browser, plan.page, { colorScheme });
    const ratios = await opened.page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const [r, g, b] = style
          .getPropertyValue(name)
          .trim()
          .match(/[0-9a-f]{2}/gi)
          .map((each) => parseInt(each, 16) / 255)
          .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      const texts = ["--text", "--muted", "--accent", "--red"].flatMap((text) =>
        ["--page", "--card"].map((behind) => [text, behind]),
      );
      const parts = ["blue", "orange", "green", "pink", "sky", "yellow", "grey", "red"].map((part) => [
        "--on-part",
        `--${part}`,
      ]);
      return [...texts, ...parts].map(([a, b]) => [a, b, ratio(a, b)]);
    });
    assert.deepEqual(
      ratios.filter(([, , ratio]) => ratio < 4.5),
      [],
      colorScheme,
    );
    await opened.close();
  }
});
