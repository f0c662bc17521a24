/**
 * How a container ended, in words.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { endWords, type Terminated } from "../../../mod/explain/explanation.ts";
import { TimeWords } from "../../../mod/explain/time_words.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import { secondsAgo } from "../../support/explain/rows.ts";

const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });

/** A run from 95 s to 85 s ago, and what was stopped when. */
function words(
  end: Partial<Terminated>,
  ...stops: readonly (readonly [why: string, atMs: number])[]
): string {
  const run = { startedAt: secondsAgo(95), finishedAt: secondsAgo(85) };
  return endWords({
    time,
    stops: stops.map(([why, atMs]) => ({ container: "web", why, atMs })),
  }, { exitCode: 0, ...run, ...end });
}

for (
  const [end, wanted] of [
    [{ exitCode: 128, reason: "Error" }, "exit code 128"],
    [
      { exitCode: 129, reason: "Completed" },
      "exit code 129 (ended by signal 1)",
    ],
    [{ exitCode: 192 }, "exit code 192 (ended by signal 64)"],
    [{ exitCode: 193 }, "exit code 193"],
    [
      { exitCode: 137, reason: "OOMKilled" },
      "exit code 137 (OOMKilled: it used more memory than it may)",
    ],
    [
      { exitCode: 128, reason: "StartError" },
      "exit code 128 (StartError: it could not be started)",
    ],
    [
      { exitCode: 137, reason: "ContainerStatusUnknown" },
      "exit code 137 (ContainerStatusUnknown: nobody saw its end)",
    ],
    [
      { exitCode: 137, reason: "RestartingAllContainers" },
      "exit code 137 (all containers of the pod were restarted)",
    ],
    [{ exitCode: 255, reason: "Peculiar" }, "exit code 255 (Peculiar)"],
  ] as const
) {
  Deno.test(`endWords() says "${wanted}"`, () => {
    strictEqual(words(end), `${wanted} at 03:02:40`);
  });
}

Deno.test("endWords() gives the last line that has something in it", () => {
  strictEqual(
    words({ message: "one\n  two \n \n" }),
    "exit code 0 at 03:02:40: two",
  );
  strictEqual(words({ message: " \n" }), "exit code 0 at 03:02:40");
});

// The times of a status are whole seconds, by another clock.
for (
  const [atMs, isTold] of [
    [NOW_MS - 96_001, false],
    [NOW_MS - 96_000, true],
    [NOW_MS - 90_000, true],
    [NOW_MS - 84_000, true],
    [NOW_MS - 83_999, false],
  ] as const
) {
  Deno.test(`endWords() ${isTold ? "says" : "does not say"} that it was stopped ${NOW_MS - atMs} ms ago`, () => {
    strictEqual(
      words({ message: "bye" }, ["of its probe", atMs]),
      isTold
        ? "exit code 0 at 03:02:40, stopped because of its probe"
        : "exit code 0 at 03:02:40: bye",
    );
  });
}

Deno.test("endWords() takes the last stop of a run, also of one without times", () => {
  const stops = [["one", 1], ["two", NOW_MS - 90_000]] as const;
  strictEqual(words({}, ...stops).slice(-3), "two");
  const stopped = stops.map(([why, atMs]) => ({ container: "web", why, atMs }));
  strictEqual(
    endWords({ time, stops: stopped }, { exitCode: 0 }),
    "exit code 0, stopped because two",
  );
});
