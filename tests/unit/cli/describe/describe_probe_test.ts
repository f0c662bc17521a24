/**
 * What a probe found last, or why nothing is asked.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { probeResultText } from "../../../../mod/cli/describe/describe_probe.ts";

const PROBE = { container: "c", kind: "readiness", probe: {} } as const;
const AT = "2026-01-01T00:00:00Z";
const age = (): string => "5s";

for (
  const [report, wanted] of [
    [undefined, undefined],
    [{ paused: "initial_delay" }, "not asked (its initial delay lasts)"],
    [{ paused: "not_running" }, "not asked (the container does not run)"],
    [{ paused: "another" }, "not asked (another)"],
    [{}, undefined],
    [
      { last: { kind: "success", message: " ", time: AT } },
      "last success 5s ago",
    ],
    [
      {
        last: { kind: "failure", message: "no", time: AT },
        consecutive: 2,
        paused: "on_hold",
      },
      "last failure 5s ago, 2 in a row (now the container is to be stopped): no",
    ],
  ] as const
) {
  Deno.test(`probeResultText() of ${JSON.stringify(report)}`, () => {
    const whole = report && {
      ...PROBE,
      consecutive: 0,
      last: undefined,
      paused: undefined,
      ...report,
    };
    strictEqual(probeResultText(whole, age), wanted);
  });
}
