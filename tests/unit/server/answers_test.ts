/**
 * The bodies of answers.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { failure, QueryError } from "../../../mod/server/answer/mod.ts";
import { healthAnswer, podList } from "../../../mod/server/answers.ts";
import { parseLogQuery } from "../../../mod/server/log_query.ts";
import { pod } from "../../support/pods.ts";

Deno.test("podList() is a v1 List ordered by namespace and name", async () => {
  const body = await podList([
    pod({ namespace: "b", name: "a" }),
    pod({ namespace: "a", name: "z" }),
    pod({ namespace: "a", name: "b" }),
    pod({ namespace: "a", name: "c" }),
    pod({ namespace: "a", name: "a" }),
  ]).json();
  strictEqual(body.apiVersion, "v1");
  strictEqual(body.kind, "List");
  deepStrictEqual(
    body.items.map(({ metadata }: Pod) =>
      `${metadata.namespace}/${metadata.name}`
    ),
    ["a/a", "a/b", "a/c", "a/z", "b/a"],
  );
});

Deno.test("podList() has an empty list when there are no pods", async () => {
  deepStrictEqual((await podList([]).json()).items, []);
});

Deno.test("podList() is valid UTF-8 whatever a pod holds", async () => {
  const text = await podList([pod({ name: "\ud800" })]).text();
  strictEqual(text.includes("\ufffd"), false);
  strictEqual(JSON.parse(text).items[0].metadata.name, "\ud800");
});

Deno.test("failure() is a Status with the code", async () => {
  const response = failure("NotFound", "gone");
  strictEqual(response.status, 404);
  const body = await response.json();
  deepStrictEqual([body.kind, body.code, body.message], [
    "Status",
    404,
    "gone",
  ]);
});

const CHECKS = ["ping", "pleg"];

Deno.test("healthAnswer() says ok, and each check when asked", async () => {
  const health = { checks: CHECKS, problems: () => [] };
  const short = healthAnswer(health, { reasons: true, verbose: false });
  deepStrictEqual([short.status, await short.text()], [200, "ok"]);
  const long = healthAnswer(health, { reasons: true, verbose: true });
  strictEqual(
    await long.text(),
    "[+]ping ok\n[+]pleg ok\nhealthz check passed\n",
  );
});

Deno.test("healthAnswer() fails with reasons, or without towards clients that are not the operator", async () => {
  const health = {
    checks: CHECKS,
    problems: () => [{ check: "pleg", reason: "last seen 4m ago" }],
  };
  const open = healthAnswer(health, { reasons: true, verbose: false });
  strictEqual(open.status, 500);
  strictEqual(
    await open.text(),
    "[+]ping ok\n[-]pleg failed: last seen 4m ago\nhealthz check failed\n",
  );
  const closed = healthAnswer(health, { reasons: false, verbose: false });
  strictEqual((await closed.text()).includes("4m"), false);
});

Deno.test("healthAnswer() tells anybody what else is to be said, and is no worse for it", async () => {
  const checks = ["ping"];
  const notes = () => ["the node is shutting down"];
  const well = { checks, problems: () => [], notes };
  const short = healthAnswer(well, { reasons: false, verbose: false });
  deepStrictEqual([short.status, await short.text()], [
    200,
    "ok\nthe node is shutting down",
  ]);
  const long = healthAnswer(well, { reasons: false, verbose: true });
  strictEqual(
    await long.text(),
    "[+]ping ok\nthe node is shutting down\nhealthz check passed\n",
  );
  const problems = () => [{ check: "ping", reason: "x" }];
  const sick = { checks, problems, notes };
  const failed = healthAnswer(sick, { reasons: false, verbose: false });
  deepStrictEqual([failed.status, await failed.text()], [
    500,
    "[-]ping failed: reason withheld\nthe node is shutting down\nhealthz check failed\n",
  ]);
});

const NOW_MS = Date.UTC(2026, 0, 1);

for (
  const [query, wanted] of [
    ["", {}],
    ["follow", { follow: true }],
    ["follow=true&timestamps=1", { follow: true, timestamps: true }],
    ["previous=false", {}],
    ["tailLines=0", { tailLines: 0 }],
    ["tailLines=12", { tailLines: 12 }],
    ["limitBytes=1", { limitBytes: 1 }],
    ["sinceSeconds=10", { sinceMs: NOW_MS - 10_000 }],
    ["sinceTime=2026-01-02T03:04:05Z", {
      sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    }],
    ["sinceTime=2026-01-02T03:04:05.25%2B01:00", {
      sinceMs: Date.UTC(2026, 0, 2, 2, 4, 5, 250),
    }],
  ] as const
) {
  Deno.test(`parseLogQuery() reads "${query}"`, () => {
    deepStrictEqual(parseLogQuery(new URLSearchParams(query), NOW_MS), {
      follow: false,
      previous: false,
      timestamps: false,
      ...wanted,
    });
  });
}

for (
  const query of [
    "tailLines=-1",
    "tailLines=x",
    "follow=maybe",
    "tial=3",
    "toString=1",
    "limitBytes=0",
    "sinceSeconds=0",
    "sinceSeconds=1.5",
    "sinceTime=yesterday",
    "sinceTime=2026-01-02",
    "sinceTime=2026-13-02T03:04:05Z",
    "sinceTime=2026-01-02T03:04:05Z&sinceSeconds=1",
  ]
) {
  Deno.test(`parseLogQuery() refuses "${query}"`, () => {
    throws(() => parseLogQuery(new URLSearchParams(query), NOW_MS), QueryError);
  });
}
