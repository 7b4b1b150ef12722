// Quick: reports of a real study (a few dozen chips) and of a plan in a real browser, from disk. They say what their
// documents say, draw it, and take names for text. What one can do with them: interaction_test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { coloursOf, digits, expectSound, figure, open } from "./pages.mjs";
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
  assert.equal(await figure(page, "range"), "Not known"); // nothing was measured under the original's assumptions
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

test("a plan: what it says is what the document says", async () => {
  const opened = await open(browser, plan.page);
  const { page } = opened;
  const { plan: made, simulations } = plan.report;
  const simulation = simulations[made.model];
  await expectSound(opened);
  assert.equal(await figure(page, "mfu"), `${digits(Number((100 * made.mfu).toPrecision(3)))}\u00a0%`);
  assert.equal(await figure(page, "throughput"), `${digits(made.throughput_sequences_per_s)} sequences/s`);
  assert.equal(made.iteration_range_s.length, 2);
  assert.match(await figure(page, "range"), /^[\d.]+ m?s to [\d.]+ m?s$/);
  assert.ok(made.iteration_range_s[0] < made.iteration_s && made.iteration_s < made.iteration_range_s[1]);
  assert.ok((await page.locator("section").first().textContent()).includes(made.range_basis));
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
