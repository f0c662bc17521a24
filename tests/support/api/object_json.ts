/**
 * Objects beside pods for the tests of this room.
 *
 * @module
 */

import { decodeManifest } from "../../../mod/api/read/decode.ts";
import type { LocalObject } from "../../../mod/api/objects/objects.ts";
import type { Draft } from "./drafts.ts";

/** An object as JSON, named `web`, with `parts` laid over it. */
export function objectJson(
  kind: LocalObject["kind"],
  parts: Draft = {},
): string {
  const apiVersion = VERSIONS.get(kind) ?? "v1";
  const metadata = { name: "web" };
  return JSON.stringify({ apiVersion, kind, metadata, ...parts });
}

const VERSIONS: ReadonlyMap<LocalObject["kind"], string> = new Map([
  ["RuntimeClass", "node.k8s.io/v1"],
  ["PriorityClass", "scheduling.k8s.io/v1"],
]);

/** The parts of a claim that is right. */
export function claimParts(spec: Draft = {}): Draft {
  return {
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  };
}

/** The objects of a manifest that is right. */
export function decodedObjects(source: string): readonly LocalObject[] {
  const result = decodeManifest(source);
  if (result.kind === "ok") return result.objects;
  throw new Error(JSON.stringify(result.faults));
}

/** What a ConfigMap or Secret holds, as texts. */
export function textsOf(
  object: LocalObject | undefined,
): Readonly<Record<string, string>> {
  const entries = object !== undefined && "entries" in object
    ? [...object.entries]
    : [];
  return Object.fromEntries(
    entries.map(([key, bytes]) => [key, new TextDecoder().decode(bytes)]),
  );
}
