import { strictEqual } from "node:assert/strict";
import {
  ApiFailure,
  hasFailed,
  matchesLabels,
} from "../../../../mod/api/access/mod.ts";
import type { LabelSelector } from "../../../../mod/api/workload/mod.ts";

const labels = { app: "web", tier: "front" };

const cases: readonly (readonly [LabelSelector | undefined, boolean])[] = [
  [undefined, false],
  [{}, true],
  [{ matchLabels: { app: "web" } }, true],
  [{ matchLabels: { app: "web", tier: "back" } }, false],
  [{ matchLabels: { toString: "web" } }, false],
  [expression("In", ["web", "api"]), true],
  [expression("In", ["api"]), false],
  [expression("NotIn", ["api"]), true],
  [expression("NotIn", ["web"]), false],
  [expression("Exists"), true],
  [expression("DoesNotExist"), false],
  [expression("In", ["web"], "zone"), false],
  [expression("NotIn", ["web"], "zone"), true],
  [expression("Exists", [], "zone"), false],
  [expression("DoesNotExist", [], "zone"), true],
  [expression("Like", ["web"]), false],
  [{ matchLabels: { app: "web" }, ...expression("DoesNotExist") }, false],
];

function expression(
  operator: string,
  values: readonly string[] = [],
  key = "app",
): LabelSelector {
  return { matchExpressions: [{ key, operator, values }] };
}

for (const [selector, expected] of cases) {
  Deno.test(`selector ${JSON.stringify(selector)} means the labels: ${expected}`, () => {
    strictEqual(matchesLabels(selector, labels), expected);
  });
}

Deno.test("only an empty selector means what has no labels", () => {
  strictEqual(matchesLabels({}, undefined), true);
  strictEqual(matchesLabels({ matchLabels: { app: "web" } }, undefined), false);
});

Deno.test("a failure is told by its reason", () => {
  const failure = new ApiFailure("NotFound", "no such Job", {
    retryAfterMs: 5,
  });
  strictEqual(hasFailed(failure, "Conflict", "NotFound"), true);
  strictEqual(hasFailed(failure, "Conflict"), false);
  strictEqual(hasFailed(new Error("NotFound"), "NotFound"), false);
  strictEqual(failure.retryAfterMs, 5);
});
