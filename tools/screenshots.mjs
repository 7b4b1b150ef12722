// Pictures of reports for the docs: node tools/screenshots.mjs [FOLDER], from the project's root after `make build`
// (PHAZE names another program). Needs Chromium, as the tests of the page do.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "../tests/web/browser.mjs";
import { open } from "../tests/web/pages.mjs";
import { makeFolder, plan, wholeStudy } from "../tests/web/reports.mjs";

const to = process.argv[2] ?? "docs/images";
mkdirSync(to, { recursive: true });
const folder = makeFolder();
const study = wholeStudy(folder);
const placed = plan(
  folder,
  "plan",
  "llama2-13b",
  "--chip",
  "h100",
  "--devices",
  "64",
  "--global-batch",
  "256",
  "--pipeline",
  "4",
  "--schedule",
  "1f1b",
  "--why",
);
const browser = await launch();

async function shoot(path, titles) {
  const opened = await open(browser, path, { viewport: { width: 1100, height: 900 }, colorScheme: "light" });
  await opened.page.addStyleTag({ content: "nav { position: static !important } .pins, details { display: none !important }" });
  for (const [title, name] of titles) {
    const section = opened.page.locator("section", {
      has: opened.page.locator("h2", { hasText: new RegExp(`^${title}$`) }),
    });
    await section.screenshot({ path: join(to, `${name}.png`) });
    console.log(join(to, `${name}.png`));
  }
  await opened.close();
}

await shoot(study.page, [
  ["Answer", "search-answer"],
  ["Chip", "search-chip"],
  ["All chips", "search-chips"],
  ["How the search went", "search-progress"],
]);
await shoot(placed.page, [
  ["One iteration", "plan-iteration"],
  ["Memory", "plan-memory"],
  ["Operators", "plan-operators"],
  ["Devices and network", "plan-devices"],
]);
await browser.close();
