// Real reports for tests and screenshots: made by the program that PHAZE names.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PROGRAM = resolve(process.env.PHAZE ?? "build/phaze");

const FEW_CHIPS = `title: A few chips
base: phaze-reference
technology: phaze22
axes:
  tensor_cores.count: [4, 8, 16]
  vector_cores.count: [8, 32]
  tensor_cores.columns: [64, 128, 256]
  tensor_cores.rows: [64, 256]
  global_buffer.size: [8 MiB, 32 MiB]
ties:
  vector_cores.lanes: tensor_cores.columns
budgets: {area: 278.8 mm2}
training:
  microbatches: [1, 2]
  recompute: [none, full]
  tensor_widths: [1, 2]
  hbm_capacity: [4 GiB, 16 GiB]
`;
const SMALL = ["--sequence", "128", "--devices", "8", "--global-batch", "32"];

export function run(...args) {
  return execFileSync(PROGRAM, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: 300_000,
  });
}

/** A folder that goes when the process ends. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "phaze-report-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A page and the document that it must show, which the program prints too. */
function pageOf(folder, input, name) {
  const page = join(folder, `${name}.html`);
  run("report", input, "-o", page);
  return { page, report: JSON.parse(run("report", input, "--json")) };
}

/** A study of a few dozen chips. */
export function smallStudy(folder) {
  const space = join(folder, "few.yaml");
  writeFileSync(space, FEW_CHIPS);
  const study = join(folder, "study.db");
  run("search", "bert-large", "--space", space, ...SMALL, "--study", study);
  return pageOf(folder, study, "study");
}

/** Two models on one chip, straight from the search. */
export function commonSearch(folder) {
  const space = join(folder, "few.yaml");
  writeFileSync(space, FEW_CHIPS);
  const page = join(folder, "common.html");
  const search = JSON.parse(
    run("search", "bert-large", "opt-350m", "--space", space, ...SMALL, "--report", page, "--json"),
  );
  return { page, search };
}

/** A search's JSON, without the chips that lost. */
export function answerAlone(folder) {
  const space = join(folder, "few.yaml");
  writeFileSync(space, FEW_CHIPS);
  const answer = join(folder, "answer.json");
  writeFileSync(answer, run("search", "bert-large", "--space", space, ...SMALL, "--json"));
  return pageOf(folder, answer, "answer");
}

/** The 29,360 chips of the original for GPT-3. */
export function wholeStudy(folder) {
  const study = join(folder, "whole.db");
  run("search", "gpt3-175b", "--study", study);
  return pageOf(folder, study, "whole");
}

export function plan(folder, name, ...args) {
  const file = join(folder, `${name}.json`);
  run("place", ...args, "--output", file);
  return pageOf(folder, file, name);
}

export function smallPlan(folder) {
  return plan(
    folder,
    "plan",
    "llama2-7b",
    "--chip",
    "h100",
    "--devices",
    "32",
    "--global-batch",
    "32",
    "--pipeline",
    "4",
    "--alternatives",
    "3",
    "--why",
    "--tokens",
    "1T",
  );
}

/** A plan whose names are markup. */
export function hostilePlan(folder) {
  const file = join(folder, "hostile.json");
  const made = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
  const markup = "</script><script>window.broken = 1</script><!--<img src=x onerror='window.broken = 2'>&amp;";
  made.model = markup;
  made.cluster = markup;
  made.notes = [markup];
  made.stages.forEach((stage) => stage.layers.forEach((layer) => (layer.name += markup)));
  made.details.layers.forEach((layer) => {
    layer.name += markup;
    layer.operators.forEach((operator) => (operator.id += markup));
  });
  made.details.cluster.levels.forEach((level) => (level.name += markup));
  writeFileSync(file, JSON.stringify(made));
  return { ...pageOf(folder, file, "hostile"), markup };
}
