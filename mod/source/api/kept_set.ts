/**
 * What is kept of the pods of an API server, and what they begin with after a boot without it.
 *
 * @module
 */

import {
  formatObjectId,
  type KeyedObject,
  type LocalObject,
  type ObjectGetter,
  objectId,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  isTokenName,
  objectReferences,
  type PodToken,
  podTokens,
  TOKEN_KEY,
} from "../../pod/inputs/mod.ts";
import { isTerminalPhase } from "../../pod/status/mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import type { SecretLack } from "../records/mod.ts";
import { type ApiContent, NOTHING } from "./api_content.ts";
import { kept } from "./pod_sets.ts";

/** A token as it is kept among the Secrets. */
export function tokenObject(
  { metadata: { namespace } }: Pick<Pod, "metadata">,
  { object: name }: Pick<PodToken, "object">,
  text: Uint8Array,
): KeyedObject {
  const entries = new Map([[TOKEN_KEY, text]]);
  const what = { kind: "Secret", type: "Opaque", immutable: false } as const;
  return { ...what, namespace, name, entries };
}

/** What is kept of a set: nothing that changes while a pod runs, since flash wears out. */
export function keptSet(
  { pods, objects, workloads }: SourceContent,
): SourceContent {
  return {
    pods: pods.map(kept),
    objects: objects.filter((object) => !isEmptyToken(object)),
    workloads,
  };
}

/** What an earlier agent had, as it is to run again. */
export interface RestoredSet {
  readonly set: ApiContent;
  /** Its pods that were not held before. */
  readonly fresh: readonly Pod[];
  /** Those of them that have to do without a token. */
  readonly withoutToken: readonly Pod[];
}

/**
 * What was kept, of its pods those that are held or taken. Those that are held stay the very
 * same; of what pods refer to everything is given at once, so that what comes later is newer.
 */
export function restoredSet(
  content: SourceContent,
  { held, isTaken }: {
    readonly held: readonly Pod[];
    readonly isTaken: (pod: Pod) => boolean;
  },
): RestoredSet {
  const before = new Map(held.map((pod) => [pod.metadata.uid, pod]));
  const fresh = content.pods.filter((pod) =>
    !before.has(pod.metadata.uid) && isTaken(pod)
  );
  for (const pod of fresh) before.set(pod.metadata.uid, pod);
  const pods = content.pods.flatMap(({ metadata: { uid } }) =>
    before.get(uid) ?? []
  );
  const tokens = emptyTokens(content);
  const objects = [...content.objects, ...[...tokens.values()].flat()];
  return {
    set: { ...NOTHING, ...content, pods, objects },
    fresh,
    withoutToken: fresh.filter((pod) => tokens.has(pod)),
  };
}

/**
 * An empty token for each that was not kept: most pods have one and do not use it, and those
 * that do can ask nobody while the API server is away. So what ran runs again. Clients take
 * an empty file for a token that is still to come; they read it again, and it is filled as
 * soon as the API server gives one.
 */
function emptyTokens(
  { pods, objects }: SourceContent,
): ReadonlyMap<Pod, readonly LocalObject[]> {
  // Nothing else has a name of that kind.
  const known = new Set(objects.map(({ name }) => name));
  const made = new Map<Pod, readonly LocalObject[]>();
  for (const pod of pods) {
    if (isTerminalPhase(pod.status?.phase)) continue;
    const missing = podTokens(pod).filter(({ object }) => !known.has(object));
    if (missing.length === 0) continue;
    const none = new Uint8Array();
    made.set(pod, missing.map((token) => tokenObject(pod, token, none)));
  }
  return made;
}

/** Whether it is a token that stands for one that is still to come. */
export function isEmptyToken(object: LocalObject): boolean {
  return object.kind === "Secret" && isTokenName(object.name) &&
    object.entries.get(TOKEN_KEY)?.length === 0;
}

/** Why something that pods refer to may be missing from what was kept. */
export function absenceOf(
  lack: SecretLack | undefined,
): NonNullable<ObjectGetter["absence"]> {
  const secrets = lack === undefined ? SILENT : `${SILENT}; ${lack.words}`;
  return { secrets, others: SILENT };
}

const SILENT = "the API server has not answered since the agent's start";

/** Whether a pod names a Secret that is not among these objects. */
export function lacksSecret(
  pod: Pod,
  objects: readonly LocalObject[],
): boolean {
  const known = new Set(objects.map((each) => formatObjectId(objectId(each))));
  return objectReferences(pod).some((reference) =>
    reference.kind === "Secret" && !known.has(formatObjectId(reference))
  );
}
