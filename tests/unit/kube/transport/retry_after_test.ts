import { strictEqual } from "node:assert/strict";
import { retryAfterOf } from "../../../../mod/kube/transport/retry_after.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

for (
  const [header, wanted] of [
    [null, undefined],
    ["", undefined],
    [" ", undefined],
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["09", 9_000],
    ["1000000000", DAY_MS],
    ["9".repeat(400), DAY_MS],
    ["-7", undefined],
    ["7.5", undefined],
    ["1e9", undefined],
    ["soon", undefined],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
    ["Wed, 31 Dec 2025 23:59:59 GMT", undefined],
    ["Thu, 01 Jan 2099 00:00:00 GMT", DAY_MS],
  ] as const
) {
  Deno.test(`retryAfterOf() reads ${JSON.stringify(header?.slice(0, 40) ?? null)}`, () => {
    strictEqual(retryAfterOf(header, NOW_MS), wanted);
  });
}
