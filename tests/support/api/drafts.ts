/**
 * Manifests for the tests of this room.
 *
 * @module
 */

import { decodeManifest } from "../../../mod/api/read/decode.ts";
import type { Fault } from "../../../mod/api/fault/fault_list.ts";

/** A part of a manifest, written as data. */
export type Draft = Readonly<Record<string, unknown>>;

/** A Pod of one container as JSON, with `spec`, `container` and `metadata` laid over it. */
export function podJson(
  parts: {
    readonly spec?: Draft;
    readonly container?: Draft;
    readonly metadata?: Draft;
  } = {},
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", ...parts.metadata },
    spec: {
      containers: [{ name: "app", image: "app:1", ...parts.container }],
      ...parts.spec,
    },
  });
}

/** A Pod in YAML whose only container ends with these lines, indented by four. */
export function podYaml(...containerLines: readonly string[]): string {
  return [
    "apiVersion: v1",
    "kind: Pod",
    "metadata:",
    "  name: web",
    "spec:",
    "  containers:",
    "  - name: app",
    "    image: app:1",
    ...containerLines.map((line) => `    ${line}`),
    "",
  ].join("\n");
}

/** The faults of a manifest; none when it is right. */
export function faultsOf(source: string | Uint8Array): readonly Fault[] {
  const result = decodeManifest(source);
  return result.kind === "ok" ? [] : result.faults;
}

/** The faults of a manifest as `field: message`. */
export function linesOf(source: string | Uint8Array): readonly string[] {
  return faultsOf(source).map(({ field, message }) => `${field}: ${message}`);
}
