/**
 * What an operator is told of manifests.
 *
 * @module
 */

import {
  deepStrictEqual,
  doesNotMatch,
  match,
  strictEqual,
} from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { FileReporter } from "../../../../mod/source/file/file_reporter.ts";
import { fieldsTo, linesTo } from "../../../support/log_lines.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { NO_EVENTS } from "../../../support/no_ops.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

for (
  const [count, reason] of [
    [1, "f0: bad"],
    [3, "f0: bad; f1: bad; f2: bad"],
    [4, "f0: bad; f1: bad; f2: bad; and 1 more"],
    [5, "f0: bad; f1: bad; f2: bad; and 2 more"],
  ] as const
) {
  Deno.test(`FileReporter tells three of ${count} fault(s) at most, in the log and to the pods that are named`, () => {
    const clock = new FakeClock();
    const logged: Record<string, unknown>[] = [];
    const told: string[] = [];
    const reporter = new FileReporter("N", {
      clock,
      metrics: new MetricsRegistry(),
      log: fieldsTo(logged, { clock }),
      events: {
        record: ({ name, namespace }, { message }) =>
          told.push(`${namespace}/${name} ${message}`),
      },
    });
    reporter.update([{
      kind: "refused",
      file: "/m/a.yaml",
      faults: Array.from({ length: count }, (_, at) => ({
        field: `f${at}`,
        message: "bad",
      })),
      named: [{ name: "web" }],
    }]);
    deepStrictEqual([...logged.map(({ reason }) => reason), ...told], [
      reason,
      `default/web-n Cannot apply the manifest "/m/a.yaml": ${reason}`,
    ]);
  });
}

/** A reporter, and a way to have it told of faults in one file at a moment. */
function rig() {
  const clock = new FakeClock();
  const logged: Record<string, unknown>[] = [];
  const reporter = new FileReporter("n", {
    clock,
    metrics: new MetricsRegistry(),
    log: fieldsTo(logged, { clock }),
    events: NO_EVENTS,
  });
  /** Goes to a second, has the file be wrong like this, and gives what is told of it. */
  const at = async (seconds: number, message?: string): Promise<string[]> => {
    await clock.advance(seconds * 1000 - clock.monotonic());
    const faults = [{ field: "f", message: message ?? "" }];
    const file = "/m/a.yaml";
    reporter.update(
      message === undefined
        ? []
        : [{ kind: "refused", file, faults, named: [] }],
    );
    return logged.splice(0)
      .map(({ message, reason = "" }) => `${message} ${reason}`.trim());
  };
  return at;
}

Deno.test("FileReporter tells of a change when a minute has passed", async () => {
  const at = rig();
  deepStrictEqual(await at(0, "bad"), ["manifest_refused f: bad"]);
  deepStrictEqual(await at(1, "bad"), []);
  deepStrictEqual(await at(2, "worse"), []);
  deepStrictEqual(await at(60, "worse"), ["manifest_refused f: worse"]);
  deepStrictEqual(await at(300, "worse"), []);
});

Deno.test("FileReporter tells once that a fault is gone, and of its return no sooner than a minute after", async () => {
  const at = rig();
  deepStrictEqual(await at(0, "bad"), ["manifest_refused f: bad"]);
  deepStrictEqual(await at(10), ["manifest_fault_cleared"]);
  deepStrictEqual(await at(20), []);
  deepStrictEqual(await at(30, "worse"), []);
  deepStrictEqual(await at(60, "worse"), ["manifest_refused f: worse"]);
  deepStrictEqual(await at(130), ["manifest_fault_cleared"]);
  deepStrictEqual(await at(131, "worse"), ["manifest_refused f: worse"]);
});

Deno.test("FileReporter tells a fault again that was told to be gone and came back in the same words", async () => {
  const at = rig();
  deepStrictEqual(await at(0, "bad"), ["manifest_refused f: bad"]);
  deepStrictEqual(await at(10), ["manifest_fault_cleared"]);
  deepStrictEqual(await at(20, "bad"), []);
  deepStrictEqual(
    await at(30),
    [],
    "nothing was told that could be taken back",
  );
  deepStrictEqual(await at(40, "bad"), []);
  deepStrictEqual(await at(60, "bad"), ["manifest_refused f: bad"]);
  deepStrictEqual(await at(300, "bad"), []);
});

Deno.test("FileReporter counts a faulty manifest as long as it is faulty", () => {
  const metrics = new MetricsRegistry();
  const reporter = new FileReporter("n", {
    clock: new FakeClock(),
    metrics,
    log: silentLogger,
    events: NO_EVENTS,
  });
  const file = "/m/a.yaml";
  const faults = [{ field: "f", message: "bad" }];
  reporter.update([{ kind: "refused", file, faults, named: [] }]);
  match(
    metrics.render(),
    /^skerry_manifest_invalid\{file="\/m\/a\.yaml"\} 1$/m,
  );
  reporter.update([]);
  doesNotMatch(metrics.render(), /a\.yaml/);
});

Deno.test("FileReporter tells all pods of a file of three objects that it has as well, and logs each", () => {
  const clock = new FakeClock();
  const events: string[] = [];
  const lines: string[] = [];
  const reporter = new FileReporter("n", {
    clock,
    metrics: new MetricsRegistry(),
    log: linesTo(lines, { clock }),
    events: {
      record: ({ name }, { message }) =>
        events.push(`${name} ${/"ConfigMap [^"]*"/.exec(message)}`),
    },
  });
  const pods = ["a", "b"].map((name) => sourcePod({ name }));
  const duplicates = Array.from({ length: 100 }, (_, at) => ({
    kind: "duplicate_object" as const,
    file: "/m/b.yaml",
    of: "/m/a.yaml",
    object: { kind: "ConfigMap" as const, namespace: "x", name: `c${at}` },
    pods,
  }));
  const others = ["c", "d", "e", "f"].map((name) => ({
    kind: "duplicate" as const,
    file: "/m/b.yaml",
    of: "/m/a.yaml",
    pod: sourcePod({ name }),
    field: "name" as const,
  }));
  // One of them five times more.
  const again = Array.from({ length: 5 }, () => duplicates.slice(0, 1)).flat();
  for (const reports of [duplicates, [...again, ...duplicates]]) {
    reporter.update([...others, ...reports]);
    strictEqual(lines.length, 104);
    deepStrictEqual(
      events.filter((event) => !event.endsWith(" null")),
      [0, 1, 2].flatMap((at) =>
        ["a", "b"].map((pod) => `${pod} "ConfigMap x/c${at}"`)
      ),
    );
    strictEqual(events.length, 6 + 4);
  }
});
