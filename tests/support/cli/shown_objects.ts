/**
 * Objects as an agent shows them, and what is written of them.
 *
 * @module
 */

import type { PodTemplate } from "../../../mod/api/workload/mod.ts";
import { describeObject } from "../../../mod/cli/describe/mod.ts";
import type { ShownObject } from "../../../mod/cli/kinds/mod.ts";

/** When objects were made: five minutes before now. */
export const CREATED: string = "2026-01-01T23:55:00Z";
/** How they are described. */
export const OPTIONS: Parameters<typeof describeObject>[1] = {
  events: [],
  time: "2026-01-02T00:00:00Z",
  utcOffsetMs: 0,
};
/** A template with some of everything. */
export const TEMPLATE: PodTemplate = {
  metadata: { labels: { app: "web" }, annotations: { note: "x" } },
  spec: {
    serviceAccountName: "robot",
    priorityClassName: "high",
    nodeSelector: { disk: "ssd" },
    initContainers: [{ name: "prepare", image: "i:0" }],
    containers: [{ name: "server", image: "i:1", args: ["-v"] }],
    volumes: [{ name: "data", emptyDir: {} }],
  },
};

/** An object `web` of namespace `shop`. */
export function object(
  kind: string,
  fields: Readonly<Record<string, unknown>> = {},
  metadata: Partial<ShownObject["metadata"]> = {},
): ShownObject {
  const meta = { name: "web", namespace: "shop", uid: "u", ...metadata };
  return { apiVersion: "v1", kind, metadata: meta, ...fields };
}

/** The lines of a description, without what is at their ends. */
export function described(
  shown: ShownObject,
  more: Partial<Parameters<typeof describeObject>[1]> = {},
): string[] {
  return describeObject(shown, { ...OPTIONS, ...more }).split("\n").map((
    line,
  ) => line.replace(/: {2,}/, ": "));
}
