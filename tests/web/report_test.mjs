// Reports of a real study and of real plans in a real browser, from disk. Quick: a few dozen chips.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { coloursOf, digits, expectSound, figure, open, sortBy } from "./pages.mjs";
import { hostilePlan, makeFolder, smallPlan, smallStudy } from "./reports.mjs";

let browser, folder, study, plan;
before(async () => {
  folder = makeFolder();
  study = smallStudy(folder);
  plan = smallPlan(folder);
  browser = await launch();
});
after(() => browser?.close());

test("a study: what it says is what the document says", async () => {
  const opened = await open(browser, study.page);
  const { page } = opened;
  const { search, study: stored } = study.report;
  const { best } = search;
  await expectSound(opened);
  assert.equal(await page.locator("[data-best]").getAttribute("data-best"), best.chip);
  assert.equal(await figure(page, "value"), `${digits(best.value)} sequences/s`);
  assert.equal(await figure(page, "area"), `${digits(best.area_mm2)} mm²`);
  assert.equal(await figure(page, "power"), `${digits(best.tdp_w)} W`);
  assert.equal(await figure(page, "over"), `${digits(best.over_reference["bert-large"])} ×`);
  assert.match(await figure(page, "proof"), best.status === "optimal" ? /^Proved optimal$/ : /^Within /);
  for (const state of ["evaluated", "excluded", "dominated"]) {
    const expected = stored.chips.state.filter((each) => each === state).length;
    assert.equal(await page.locator(`[data-count="${state}"]`).textContent(), digits(expected), state);
  }
  assert.equal(stored.chips.id.length, best.chips.total);
  assert.equal(await page.locator("[data-shown]").getAttribute("data-shown"), String(best.chips.total));
  assert.ok((await coloursOf(page.locator(".scatter canvas"))) > 10);
  assert.equal(
    await page.locator("svg.chip .part-blue rect").count(),
    best.description.description.tensor_cores.fabricated +
      search.reference.description.description.tensor_cores.fabricated,
  );
  await opened.close();
});

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

test("a plan: what it says is what the document says", async () => {
  const opened = await open(browser, plan.page);
  const { page } = opened;
  const { plan: made, simulations } = plan.report;
  const simulation = simulations[made.model];
  await expectSound(opened);
  assert.equal(await figure(page, "mfu"), `${digits(Number((100 * made.mfu).toPrecision(3)))}\u00a0%`);
  assert.equal(await figure(page, "throughput"), `${digits(made.throughput_sequences_per_s)} sequences/s`);
  assert.equal(await figure(page, "devices"), digits(made.tensor * made.pipeline * made.data));
  assert.equal(made.stages.length, simulation.stages.length);
  const passes = 2 * made.interleave * made.microbatches;
  assert.ok(
    simulation.stages.every((stage) => stage.passes.kind.length === passes && stage.passes.start_s.length === passes),
  );
  assert.equal(simulation.iteration_s, made.simulated_s);
  for (const canvas of await page.locator("canvas").all()) {
    assert.ok((await coloursOf(canvas)) > 3);
  }
  const stages = page.locator("table", {
    has: page.locator("caption", { hasText: /^Stages$/ }),
  });
  assert.equal(await stages.locator("tbody tr").count(), made.stages.length);
  const operators = page.locator("table", { hasText: "each by itself" });
  const count = made.details.layers.reduce((sum, layer) => sum + layer.operators.length, 0);
  await page.getByRole("button", { name: new RegExp(`of ${count} are shown`) }).click();
  assert.equal(await operators.locator("tbody tr").count(), count);
  // Hovering over the iteration names passes; a drag and keys zoom.
  const gantt = page.locator(".timeline").first();
  await gantt.scrollIntoViewIfNeeded();
  const place = await gantt.boundingBox();
  const about = new Set();
  for (let x = 90; x < place.width; x += 23) {
    await page.mouse.move(place.x + x, place.y + 40);
    about.add((await gantt.locator(".tip").textContent()).split(":")[0]);
  }
  assert.ok(
    [...about].some((text) => /stage 0, forward of micro-batch 0/.test(text)),
    [...about].join("; "),
  );
  assert.ok([...about].some((text) => /backward of micro-batch/.test(text)));
  const whole = await gantt.locator("canvas").screenshot();
  await gantt.locator("canvas").focus();
  await page.keyboard.press("+");
  assert.notDeepEqual(await gantt.locator("canvas").screenshot(), whole);
  // A device's groups.
  await page.getByLabel("Device", { exact: true }).fill("1");
  await page.getByLabel("Device", { exact: true }).press("Tab");
  assert.match(
    await page.locator("section", { hasText: "Levels of the network" }).textContent(),
    /Device 1: stage \d+, data rank \d+, tensor rank \d+/,
  );
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

test("names with markup stay text", async () => {
  const hostile = hostilePlan(folder);
  const opened = await open(browser, hostile.page);
  await expectSound(opened);
  assert.equal(await opened.page.evaluate(() => window.broken), undefined);
  assert.equal(await opened.page.locator("main img, main script").count(), 0);
  assert.ok((await opened.page.locator("h1").textContent()).startsWith(hostile.markup));
  assert.equal(hostile.report.plan.model, hostile.markup);
  await opened.close();
});
