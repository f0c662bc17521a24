/**
 * Tables of manifests that validation takes or refuses.
 *
 * @module
 */

import { deepStrictEqual, match, ok } from "node:assert/strict";
import { type Draft, faultsOf, linesOf, podJson } from "./drafts.ts";

/** A pod that differs from a plain one in these parts. */
export interface Parts {
  readonly spec?: Draft;
  readonly container?: Draft;
  readonly metadata?: Draft;
}

/** What is wrong, the pod, the field that is blamed, what is said. */
export type RefusedRow = readonly [string, Parts, string, RegExp];

/** What is right, and the pod. */
export type TakenRow = readonly [string, Parts];

/** Registers one test a row. */
export function testRefused(rows: readonly RefusedRow[]): void {
  for (const [what, parts, field, message] of rows) {
    Deno.test(`validatePod() refuses ${what}`, () => {
      const faults = faultsOf(podJson(parts));
      const there = faults.filter((fault) => fault.field === field);
      ok(there.length > 0, `no fault at ${field}: ${JSON.stringify(faults)}`);
      match(there.map((fault) => fault.message).join("\n"), message);
    });
  }
}

/** Registers one test a row. */
export function testTaken(rows: readonly TakenRow[]): void {
  for (const [what, parts] of rows) {
    Deno.test(`validatePod() takes ${what}`, () => {
      deepStrictEqual(linesOf(podJson(parts)), []);
    });
  }
}
