/**
 * What an operator is told of manifests.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  createLogger,
  MetricsRegistry,
} from "../../../../mod/base/telemetry/mod.ts";
import { FileReporter } from "../../../../mod/source/file/file_reporter.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

for (
  const [count, reason] of [
    [1, "f0: bad"],
    [3, "f0: bad; f1: bad; f2: bad"],
    [5, "f0: bad; f1: bad; f2: bad; and 2 more"],
  ] as const
) {
  Deno.test(`FileReporter tells three of ${count} fault(s) at most, in the log and to the pods that are named`, () => {
    const clock = new FakeClock();
    const told: unknown[] = [];
    const reporter = new FileReporter("N", {
      clock,
      metrics: new MetricsRegistry(),
      log: createLogger({
        level: "info",
        format: "json",
        clock,
        write: (line) => told.push(JSON.parse(line).reason),
      }),
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
    deepStrictEqual(told, [
      reason,
      `default/web-n Cannot apply the manifest "/m/a.yaml": ${reason}`,
    ]);
  });
}
