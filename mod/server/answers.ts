/**
 * The bodies that only some paths answer with.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import { json, plain } from "./answer/mod.ts";
import type { HealthSource } from "./ports.ts";

/** The pods as a `List`, ordered by namespace and name. */
export function podList(pods: readonly Pod[]): Response {
  const items = pods.toSorted((left, right) =>
    compare(left.metadata.namespace, right.metadata.namespace) ||
    compare(left.metadata.name, right.metadata.name)
  );
  return json({
    apiVersion: "v1",
    kind: "List",
    metadata: { resourceVersion: "" },
    items,
  });
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * `ok`, or what is wrong with status 500. Notes stand in lines of their own.
 *
 * With `reasons` it says why; without, as upstream does for any client, only which
 * checks failed.
 */
export function healthAnswer(
  health: HealthSource,
  options: { readonly reasons: boolean; readonly verbose: boolean },
): Response {
  const problems = health.problems();
  const failed = new Map(problems.map(({ check, reason }) => [check, reason]));
  const notes = health.notes?.() ?? [];
  if (failed.size === 0 && !options.verbose) {
    return plain(["ok", ...notes].join("\n"));
  }
  const names = [...new Set([...health.checks, ...failed.keys()])];
  const lines = names.map((name) => {
    const reason = failed.get(name);
    if (reason === undefined) return `[+]${name} ok`;
    return `[-]${name} failed: ${options.reasons ? reason : "reason withheld"}`;
  });
  const verdict = failed.size === 0 ? "passed" : "failed";
  const all = [...lines, ...notes, `healthz check ${verdict}`, ""];
  return plain(all.join("\n"), {
    status: failed.size === 0 ? 200 : 500,
  });
}
