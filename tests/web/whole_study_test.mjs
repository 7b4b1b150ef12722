// Slow: the original's 29,360 chips, a common chip, an answer alone, and plans of many shapes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { digits, expectSound, figure, open } from "./pages.mjs";
import { answerAlone, commonSearch, makeFolder, plan, wholeStudy } from "./reports.mjs";

let browser, folder;
before(async () => {
  folder = makeFolder();
  browser = await launch();
});
after(() => browser?.close());

test("29,360 chips: all there, and quick to hover", async () => {
  const { page: path, report } = wholeStudy(folder);
  const opened = await open(browser, path);
  const { page } = opened;
  await expectSound(opened);
  assert.equal(report.study.chips.id.length, 29360);
  assert.equal(await page.locator("[data-shown]").getAttribute("data-shown"), "29360");
  assert.equal(await page.locator('[data-count="evaluated"]').textContent(), digits(report.search.chips.evaluated));
  assert.equal(
    await page.locator('[data-count="dominated"]').textContent(),
    digits(report.search.chips.excluded_by_dominance),
  );
  const box = page.locator(".scatter");
  await box.scrollIntoViewIfNeeded();
  const place = await box.boundingBox();
  // Work of a hover, in the page's own time: what others do on the machine counts little.
  const times = await page.evaluate(
    async ({ width, height }) => {
      const target = document.querySelector(".scatter");
      const at = target.getBoundingClientRect();
      const all = [];
      for (let i = 0; i < 200; i++) {
        const [x, y] = [at.left + 80 + ((i * 137) % (width - 110)), at.top + 32 + ((i * 71) % (height - 90))];
        const begin = performance.now();
        target.dispatchEvent(
          new PointerEvent("pointermove", {
            clientX: x,
            clientY: y,
            bubbles: true,
          }),
        );
        all.push(performance.now() - begin);
        if (i % 20 === 0) {
          await new Promise((resolve) => setTimeout(resolve));
        }
      }
      return all.sort((a, b) => a - b);
    },
    { width: place.width, height: place.height },
  );
  const drawn = await page.evaluate(() => performance.getEntriesByName("chips drawn")[0].startTime);
  console.log(
    `hover: median ${times[100].toFixed(2)} ms, 99 % ${times[198].toFixed(2)} ms; chips drawn after ${drawn.toFixed(0)} ms`,
  );
  await page.mouse.move(place.x + place.width * 0.7, place.y + place.height * 0.4);
  // A brush over the right half keeps what the document says lies there.
  await page.mouse.down();
  await page.mouse.move(place.x + place.width - 21, place.y + 31, { steps: 3 });
  await page.mouse.up();
  const text = await page.getByRole("button", { name: /^Remove the range area/ }).textContent();
  const kept = Number(await page.locator("[data-shown]").getAttribute("data-shown"));
  assert.ok(kept > 0 && kept < 29360, `${text}: ${kept}`);
  await opened.close();
});

test("a common chip of two models", async () => {
  const { page: path, search } = commonSearch(folder);
  for (const width of [1280, 400]) {
    const opened = await open(browser, path, {
      viewport: { width, height: 900 },
    });
    await expectSound(opened);
    assert.equal(await opened.page.locator("[data-best]").getAttribute("data-best"), search.best.chip);
    const own = opened.page.locator("table", {
      has: opened.page.locator("caption", { hasText: "own best chip" }),
    });
    assert.equal(await own.locator("tbody tr").count(), 2);
    assert.equal(await opened.page.locator("h2", { hasText: "one iteration" }).count(), 2);
    await opened.close();
  }
});

test("an answer without its chips says where they are", async () => {
  const { page: path, report } = answerAlone(folder);
  const opened = await open(browser, path);
  await expectSound(opened);
  assert.equal(await figure(opened.page, "area"), `${digits(report.search.best.area_mm2)} mm²`);
  assert.match(await opened.page.locator("section", { hasText: "All chips" }).textContent(), /--study FILE/);
  await opened.close();
});

test("plans of many shapes", async () => {
  const plans = [
    [
      "gpipe",
      "bert-large",
      "--chip",
      "a100-80g",
      "--cluster",
      "dgx-a100",
      "--devices",
      "16",
      "--global-batch",
      "64",
      "--pipeline",
      "8",
      "--schedule",
      "gpipe",
    ],
    ["original", "gpt3-175b", "--chip", "phaze-reference", "--assumptions", "phaze2024"],
    ["pod", "llama3-8b", "--chip", "tpuv4", "--cluster", "tpuv4-pod", "--devices", "64", "--global-batch", "128"],
    ["large", "llama3-405b", "--chip", "h100", "--devices", "16384", "--global-batch", "2048"],
    ["one", "bert-large", "--chip", "h100", "--devices", "1", "--global-batch", "8"],
    [
      "many",
      "bert-large",
      "--chip",
      "h100",
      "--devices",
      "8",
      "--global-batch",
      "65536",
      "--pipeline",
      "8",
      "--microbatch",
      "1",
    ],
  ];
  for (const [name, ...args] of plans) {
    const { page: path, report } = plan(folder, name, ...args);
    for (const width of [1280, 400]) {
      const opened = await open(browser, path, {
        viewport: { width, height: 900 },
      });
      await expectSound(opened);
      assert.equal(
        await figure(opened.page, "devices"),
        digits(report.plan.tensor * report.plan.pipeline * report.plan.data),
        name,
      );
      await opened.close();
    }
  }
});
