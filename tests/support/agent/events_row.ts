/**
 * What a row of the tables of events is made of.
 *
 * @module
 */

import type { CoreRig, CoreRigOptions } from "./core_rig.ts";
import { busybox, WEB, web } from "./manifests.ts";

/** One event: type, reason, what it is about, and its message. */
export type Told = readonly [
  "Normal" | "Warning",
  string,
  string | undefined,
  string | RegExp,
];

/** What happens to the pod `web`, and what is told of it. */
export interface EventRow {
  readonly when: string;
  readonly rig?: CoreRigOptions;
  readonly run: (rig: CoreRig) => Promise<void>;
  readonly told: readonly Told[];
}

/** What events about the container of the pod are about. */
export const SERVER: string = `spec.containers{${WEB}}`;
/** How the runtime refuses. */
export const REFUSED = {
  kind: "error",
  code: 13,
  details: "no luck",
} as const;
/** What hooks and probes run. */
export const ASK = { command: ["ask"] } as const;

/** An event of something that is as it should be. */
export function normal(
  reason: string,
  message: string | RegExp,
  about?: string,
): Told {
  return ["Normal", reason, about, message];
}

/** An event of something that is wrong. */
export function warning(
  reason: string,
  message: string | RegExp,
  about?: string,
): Told {
  return ["Warning", reason, about, message];
}

/** Runs a pod. */
export function apply(
  manifest: Record<string, unknown> = web(),
): (rig: CoreRig) => Promise<void> {
  return (rig) => rig.apply("web", manifest);
}

/** A pod of one container with these fields. */
export function of(
  fields: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({ spec: { containers: [busybox(WEB, fields)], ...spec } });
}

/** Runs a pod and waits until it does. */
export async function runWeb(
  rig: CoreRig,
  manifest: Record<string, unknown> = web(),
): Promise<void> {
  await rig.apply("web", manifest);
  await rig.until(
    () => rig.status("web")?.phase === "Running" && rig.ready().length === 1,
    "Running",
  );
}

/** A pod that is given so much of the processors, and no more. */
export function cpu(amount: string): Record<string, unknown> {
  const resources = { requests: { cpu: amount }, limits: { cpu: amount } };
  const containers = [busybox(WEB, { resources })];
  // With a UID of its own it stays the same pod when its resources change.
  return web({ uid: "u-1", spec: { containers } });
}
