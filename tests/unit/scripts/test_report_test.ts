/**
 * What a run of tests says at its end.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type Attempt,
  fileTimes,
  quoted,
  reportLines,
  skippedTests,
} from "../../../scripts/test_report.ts";

/** As Deno 2.9.6 writes it. */
const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="4" failures="1" errors="0" time="0.006">
    <testsuite name="./a_test.ts" tests="4" disabled="2" errors="0" failures="1">
        <testcase name="skip &lt;me&gt; &amp; &quot;you&quot; &amp;lt;" classname="./a_test.ts" time="0.000" line="1" col="6">
            <skipped/>
        </testcase>
        <testcase name="passes" classname="./a_test.ts" time="0.000" line="2" col="6">
        </testcase>
        <testcase name="fails" classname="./a_test.ts" time="0.002" line="3" col="6">
            <failure message="Uncaught Error: x">Error: &lt;skipped/&gt; time="9.000" line="1"</failure>
        </testcase>
        <testcase name="steps &gt; ignored" classname="./a_test.ts" time="0.000" line="4" col="69">
            <skipped/>
        </testcase>
    </testsuite>
    <testsuite name="./b&amp;c/d_test.ts" tests="2" disabled="0" errors="0" failures="0">
        <testcase name="x" classname="./b&amp;c/d_test.ts" time="1.500" line="1" col="6">
        </testcase>
        <testcase name="y time=&quot;7.000&quot; line=" classname="./b&amp;c/d_test.ts" time="12.250" line="2" col="6">
        </testcase>
    </testsuite>
</testsuites>
`;

function attempt(name: string, given: Partial<Attempt> = {}): Attempt {
  return {
    name,
    ended: "exit 0",
    ok: true,
    repeated: false,
    files: [],
    skipped: [],
    ...given,
  };
}

Deno.test("skippedTests() names ignored tests and steps as they were written", () => {
  deepStrictEqual(skippedTests(JUNIT), [
    'skip <me> & "you" &lt;',
    "steps > ignored",
  ]);
});

Deno.test("fileTimes() adds up the tests of each file", () => {
  deepStrictEqual(fileTimes(JUNIT), [
    { path: "a_test.ts", tookMs: 2 },
    { path: "b&c/d_test.ts", tookMs: 13_750 },
  ]);
  deepStrictEqual(fileTimes(""), []);
});

Deno.test("skippedTests() finds nothing in a report that was never written", () => {
  deepStrictEqual(skippedTests(""), []);
});

Deno.test("reportLines() names no more than the slow files when all went well", () => {
  deepStrictEqual(
    reportLines([
      attempt("part 1", { files: [{ path: "a", tookMs: 1_400 }] }),
      attempt("part 2", {
        files: [{ path: "b", tookMs: 600 }, { path: "c", tookMs: 9_600 }],
      }),
    ]),
    ["slowest: c (10 s), a (1 s), b (1 s)"],
  );
  deepStrictEqual(
    reportLines([attempt("a", { files: [{ path: "a", tookMs: 1_400 }] })]),
    [],
  );
});

Deno.test("reportLines() counts and names what was skipped, repeated and failed", () => {
  const failure = { ok: false, ended: "exit 1" };
  deepStrictEqual(
    reportLines([
      attempt("b", { ...failure, ended: "SIGABRT", repeated: true }),
      attempt("b", { skipped: ["two", "one"] }),
      attempt("a", { ...failure, repeated: true }),
      attempt("a", failure),
      attempt("c", { ...failure, skipped: ["three"] }),
    ]),
    [
      "skipped: 3 tests: one; three; two",
      "repeated: 2 runs: a (exit 1); b (SIGABRT)",
      "FAILED in a",
      "FAILED in c",
    ],
  );
});

Deno.test("quoted() marks each line, and leaves the end of the last as it was", () => {
  strictEqual(quoted("ok | 1 passed\n\nok\n"), "> ok | 1 passed\n> \n> ok\n");
  strictEqual(quoted("no end"), "> no end");
  strictEqual(quoted(""), "");
});
