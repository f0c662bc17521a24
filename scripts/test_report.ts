/**
 * What a run of tests says at its end, from what its processes left behind.
 *
 * @module
 */

/** One process of `deno test`. */
export interface Attempt {
  /** The file that it tests, or the part of a folder. */
  readonly name: string;
  /** How the process ended: `exit 1`, or the name of a signal. */
  readonly ended: string;
  readonly ok: boolean;
  /** Another attempt counts in its place. */
  readonly repeated: boolean;
  /** How long each file took that was tested to its end. */
  readonly files: readonly FileTime[];
  readonly skipped: readonly string[];
}

/** How long the tests of a file took. */
export interface FileTime {
  readonly path: string;
  readonly tookMs: number;
}

const SLOWEST = 5;

/** The lines that name failed, repeated and slow files, and skipped tests. */
export function reportLines(attempts: readonly Attempt[]): string[] {
  const repeated = attempts.filter((one) => one.repeated)
    .map(({ name, ended }) => `${name} (${ended})`).sort();
  const skipped = attempts.flatMap((one) => one.skipped).sort();
  const files = attempts.flatMap((one) => one.files);
  const slowest = files.toSorted((a, b) => b.tookMs - a.tookMs)
    .slice(0, SLOWEST)
    .map(({ path, tookMs }) => `${path} (${Math.round(tookMs / 1000)} s)`);
  return [
    ...files.length > 1 ? [`slowest: ${slowest.join(", ")}`] : [],
    ...skipped.length > 0
      ? [`skipped: ${skipped.length} tests: ${skipped.join("; ")}`]
      : [],
    ...repeated.length > 0
      ? [`repeated: ${repeated.length} runs: ${repeated.join("; ")}`]
      : [],
    ...attempts.filter((one) => !one.ok && !one.repeated)
      .map(({ name }) => `FAILED in ${name}`).sort(),
  ];
}

/** The names of the tests and steps that a JUnit report of `deno test` has as ignored. */
export function skippedTests(junit: string): string[] {
  const [, ...cases] = junit.split('<testcase name="');
  return cases.filter((text) => text.includes("<skipped/>"))
    .map((text) => unescaped(text.slice(0, text.indexOf('"'))));
}

/** How long the tests of each file took, by a JUnit report of `deno test`. */
export function fileTimes(junit: string): FileTime[] {
  const [, ...suites] = junit.split('<testsuite name="');
  return suites.map((suite) => ({
    path: unescaped(suite.slice(0, suite.indexOf('"'))).replace(/^\.\//, ""),
    tookMs: Array.from(suite.matchAll(CASE_SECONDS), ([, seconds]) => seconds)
      .reduce((sum, seconds) => sum + Number(seconds) * 1_000, 0),
  }));
}

const CASE_SECONDS = /^\s*<testcase .* time="([\d.]+)" line=/gm;

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:lt|gt|quot|apos|amp);/g,
    (entity) => ENTITIES[entity] ?? entity,
  );
}

/** `text` with a mark before each line, so that no line of it counts as a result. */
export function quoted(text: string): string {
  return text.replaceAll(/^/gm, "> ").replace(/> $/, "");
}
