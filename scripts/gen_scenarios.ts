/**
 * Fills in docs/scenarios.md which tests name each scenario.
 *
 * Run: `deno run --allow-read --allow-write scripts/gen_scenarios.ts`; with `--check` it
 * only says whether the file is up to date.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line tool

import { listSourceFiles } from "./source_files.ts";

const ROOT = new URL("../", import.meta.url);
const OUTPUT = new URL("docs/scenarios.md", ROOT);
const ID =
  /\b(?:(?:SRC|PW|RT|PL|GC|ST|PR|VO|SE|CL|PF|IN)-[0-9]{2}|[HMNR][0-9]{2})\b/g;

/** The page with its column of tests, and what is wrong with its ids. */
export interface Filled {
  readonly text: string;
  readonly faults: readonly string[];
}

/**
 * Writes the paths of the tests that name a scenario into its row.
 *
 * @param tests the text of each test file, by its path below `tests/`
 */
export function fillScenarios(
  page: string,
  tests: ReadonlyMap<string, string>,
): Filled {
  const named = new Map<string, string[]>();
  for (const [path, text] of tests) {
    for (const id of new Set(text.match(ID))) {
      named.set(id, [...(named.get(id) ?? []), path]);
    }
  }
  const rows = new Set<string>();
  const lines = page.split("\n").map((line) => {
    const [, id = "", expected] = line.split("|").map((cell) => cell.trim());
    if (id.match(ID)?.[0] !== id) return line;
    rows.add(id);
    return `| ${id} | ${expected} | ${named.get(id)?.join(", ") ?? ""} |`;
  });
  return {
    text: lines.join("\n"),
    faults: [
      ...[...named.keys()].filter((id) => !rows.has(id))
        .map((id) => `${id} has no row; ${named.get(id)?.join(", ")} names it`),
      ...[...rows].filter((id) => !named.has(id))
        .map((id) => `no test names ${id}; take its row away`),
    ],
  };
}

if (import.meta.main) {
  const paths = (await listSourceFiles(ROOT)).filter((path) =>
    path.startsWith("tests/")
  );
  const tests = await Promise.all(paths.map(async (path) =>
    [
      path.slice("tests/".length),
      await Deno.readTextFile(new URL(path, ROOT)),
    ] as const
  ));
  const page = await Deno.readTextFile(OUTPUT);
  const { text, faults } = fillScenarios(page, new Map(tests));
  for (const fault of faults) console.error(`docs/scenarios.md: ${fault}`);
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(OUTPUT, text);
  else if (text !== page) {
    console.error("docs/scenarios.md differs: run scripts/gen_scenarios.ts");
    Deno.exit(1);
  }
  if (faults.length > 0) Deno.exit(1);
}
