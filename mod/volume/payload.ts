/**
 * What the files of a configMap, secret, downwardAPI or projected volume hold.
 *
 * @module
 */

import type { ObjectGetter, ObjectId, Quantity } from "../api/objects/mod.ts";
import type { Pod, ProjectedSource, Volume } from "../api/types/mod.ts";
import { missingObject } from "../pod/lifecycle/mod.ts";
import {
  podFieldFile,
  resourceFieldValue,
  TOKEN_KEY,
  tokenOf,
} from "../pod/inputs/mod.ts";
import { unsyncedText } from "../pod/lifecycle/mod.ts";
import {
  checkPayload,
  type Payload,
  type PayloadFile,
  payloadPath,
} from "./payload_path.ts";
import { VolumeFailure } from "./volume_setup.ts";

/** Where the content comes from. */
export interface PayloadFacts {
  readonly objects: ObjectGetter;
  /** What the node can give, for a limit that a container does not set. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
}

/** The kinds of volumes that are made of content. */
export type PayloadKind = "configMap" | "secret" | "downwardAPI" | "projected";

// Upstream: pkg/apis/core/v1 ConfigMapVolumeSourceDefaultMode and its like.
const DEFAULT_MODE = 0o644;

/** Which of those kinds a volume is of. */
export function payloadKind(volume: Volume): PayloadKind | undefined {
  return KINDS.find((kind) => volume[kind] !== undefined);
}

const KINDS: readonly PayloadKind[] = [
  "configMap",
  "secret",
  "downwardAPI",
  "projected",
];

/**
 * Everything that the volume holds now; empty when what it names is optional and
 * is not there. In a projected volume a later source wins over an earlier one.
 *
 * Upstream: pkg/volume/configmap, secret, downwardapi and projected.
 *
 * @throws {VolumeFailure} when something is missing or does not fit
 */
export function volumePayload(
  pod: Pod,
  volume: Volume,
  facts: PayloadFacts,
): Payload {
  const { configMap, secret, downwardAPI, projected } = volume;
  const mode = (configMap ?? secret ?? downwardAPI ?? projected)?.defaultMode ??
    DEFAULT_MODE;
  const files = sourcesOf(volume).flatMap((source) =>
    filesOf(source, { pod, facts, mode })
  );
  return checkPayload(new Map(files));
}

/** The objects from which the content of a volume comes. */
export function namedObjects(pod: Pod, volume: Volume): readonly ObjectId[] {
  const { namespace } = pod.metadata;
  return sourcesOf(volume).flatMap((source): ObjectId[] => [
    ...named("ConfigMap", namespace, source.configMap?.name),
    ...named("Secret", namespace, source.secret?.name),
    ...named("Secret", namespace, tokenOf(pod, source)?.object),
  ]);
}

/** Every other kind is a projected volume with one source. */
function sourcesOf(volume: Volume): readonly ProjectedSource[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  return [
    ...configMap === undefined ? [] : [{ configMap }],
    ...secret === undefined ? [] : [{
      secret: {
        ...secret,
        ...secret.secretName !== undefined && { name: secret.secretName },
      },
    }],
    ...downwardAPI === undefined ? [] : [{ downwardAPI }],
    ...projected?.sources ?? [],
  ];
}

function named(
  kind: ObjectId["kind"],
  namespace: string,
  name: string | undefined,
): ObjectId[] {
  return name === undefined ? [] : [{ kind, namespace, name }];
}

type PayloadEntry = readonly [path: string, file: PayloadFile];

interface PayloadContext {
  readonly pod: Pod;
  readonly facts: PayloadFacts;
  /** For a file that has no mode of its own. */
  readonly mode: number;
}

type DownwardItems = NonNullable<Volume["downwardAPI"]>["items"];

/** What references to configMaps and secrets have in common. */
type KeyedSource = NonNullable<ProjectedSource["configMap" | "secret"]>;

function filesOf(
  source: ProjectedSource,
  context: PayloadContext,
): readonly PayloadEntry[] {
  const refused = Object.entries(source).find(([kind, value]) =>
    value !== undefined && !PROJECTED.has(kind)
  );
  if (refused !== undefined) {
    throw new VolumeFailure(
      `the projected source "${refused[0]}" is not supported`,
    );
  }
  const { configMap, secret, downwardAPI } = source;
  return [
    ...(secret === undefined ? [] : keyedFiles("secret", secret, context)),
    ...(configMap === undefined
      ? []
      : keyedFiles("configMap", configMap, context)),
    ...downwardFiles(downwardAPI?.items, context),
    ...tokenFiles(source, context),
  ];
}

/** A token is for the pod alone: nobody else reads it where the pod says who it is. */
function tokenFiles(
  source: ProjectedSource,
  { pod, facts, mode }: PayloadContext,
): readonly PayloadEntry[] {
  const token = tokenOf(pod, source);
  if (token === undefined) return [];
  const { namespace } = pod.metadata;
  const found = facts.objects.secret({ namespace, name: token.object });
  const content = found?.entries.get(TOKEN_KEY);
  if (content === undefined) {
    const id = { kind: "Secret", namespace, name: token.object } as const;
    const why = facts.objects.withheld(id) ??
      `no API server has given one for the service account "${token.serviceAccount}"`;
    throw new VolumeFailure(`failed to fetch token: ${why}`);
  }
  const { fsGroup, runAsUser } = pod.spec.securityContext ?? {};
  const isOwned = fsGroup !== undefined || runAsUser !== undefined;
  const path = payloadPath(source.serviceAccountToken?.path ?? "");
  return [[path, { content, mode: isOwned ? 0o600 : mode }]];
}

const PROJECTED: ReadonlySet<string> = new Set([
  "configMap",
  "secret",
  "downwardAPI",
  "serviceAccountToken",
]);

/** The objects that have keys, and what upstream says of a key that is missing. */
const KEYED = {
  configMap: {
    object: "ConfigMap",
    noKey: "configmap references non-existent config key",
  },
  secret: {
    object: "Secret",
    noKey: "references non-existent secret key",
  },
} as const;

function keyedFiles(
  kind: keyof typeof KEYED,
  source: KeyedSource,
  context: PayloadContext,
): readonly PayloadEntry[] {
  const { name = "", optional = false, items = [] } = source;
  const { namespace } = context.pod.metadata;
  const { object, noKey } = KEYED[kind];
  const found = context.facts.objects[kind]({ namespace, name });
  if (found === undefined) {
    const { objects } = context.facts;
    const why = objects.withheld({ kind: object, namespace, name });
    // Nobody knows that an optional one is not there.
    if (why !== undefined) throw new VolumeFailure(unsyncedText(object, why));
    if (optional) return [];
    const { absence } = objects;
    throw new VolumeFailure(missingObject(object, { name, absence }));
  }
  const { entries } = found;
  if (items.length === 0) {
    return [...entries].map(([key, content]) => {
      // Keys are names of files; one that would lead into a directory is of no valid object.
      if (key.includes("/")) {
        throw new VolumeFailure(`the key "${key}" is no name of a file`);
      }
      return [payloadPath(key), { content, mode: context.mode }];
    });
  }
  return items.flatMap(({ key, path, mode = context.mode }) => {
    const content = entries.get(key);
    if (content !== undefined) {
      return [[payloadPath(path), { content, mode }] as const];
    }
    if (optional) return [];
    throw new VolumeFailure(`${noKey}: ${key}`);
  });
}

function downwardFiles(
  items: DownwardItems,
  context: PayloadContext,
): readonly PayloadEntry[] {
  return (items ?? []).map((item): PayloadEntry => {
    const text = downwardText(item, context);
    const content = new TextEncoder().encode(text);
    return [payloadPath(item.path), {
      content,
      mode: item.mode ?? context.mode,
    }];
  });
}

function downwardText(
  item: NonNullable<DownwardItems>[number],
  context: PayloadContext,
): string {
  const { fieldRef, resourceFieldRef } = item;
  const { pod, facts: { allocatable } } = context;
  if (fieldRef !== undefined) {
    const value = podFieldFile(pod, fieldRef.fieldPath);
    if (value !== undefined) return value;
    throw new VolumeFailure(
      `the field "${fieldRef.fieldPath}" cannot be shown in a file`,
    );
  }
  if (resourceFieldRef === undefined) {
    throw new VolumeFailure(
      `"${item.path}" has neither "fieldRef" nor "resourceFieldRef"`,
    );
  }
  const value = resourceFieldValue(pod, resourceFieldRef, { allocatable });
  if (value.kind === "ok") return value.value;
  throw new VolumeFailure(`"${item.path}" cannot be shown: ${value.message}`);
}
