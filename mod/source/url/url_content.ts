/**
 * From what a URL answered to what is to run.
 *
 * @module
 */

import {
  type Fault,
  formatFault,
  type UnknownFields,
} from "../../api/fault/mod.ts";
import {
  formatObjectId,
  type LocalObject,
  objectId,
  podKey,
} from "../../api/objects/mod.ts";
import {
  decodeManifestParts,
  type FaultyPart,
  type PodNameHint,
} from "../../api/read/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { describeFaults, identifyPod, keepEqual } from "../file/mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import type { FileReport, PodCheck } from "../mod.ts";

/** How answers are read. */
export interface UrlContentOptions {
  /** As configured, in any case. */
  readonly nodeName: string;
  /** Without user and password; part of the UIDs. */
  readonly url: string;
  /** What the URL is called in reports. */
  readonly shownUrl: string;
  readonly unknownFields: UnknownFields;
}

/** What {@linkcode readUrlContent} is built on. */
export interface UrlContentDeps {
  readonly log: Logger;
  /** What this node has against a valid pod; a fault refuses that pod alone. */
  readonly check?: PodCheck;
}

/** What an answer amounts to. */
export type UrlContent =
  | {
    readonly kind: "accepted";
    readonly content: SourceContent;
    /** On each part that is not valid. */
    readonly reports: readonly FileReport[];
    /** Whether the node refuses a part, which may change: its addresses do. */
    readonly isByNode: boolean;
  }
  /** Nothing in it says what is to run. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Reads an answer; of a pod or an object in it that is not valid, what `held` has
 * of the same name stays.
 *
 * While a part is not valid and does not even say its name, nothing leaves: it may
 * be whatever seems to be missing. No pod at all is an error unless a list says in
 * so many words that it is empty.
 */
export function readUrlContent(
  body: Uint8Array,
  held: SourceContent,
  context: UrlContentOptions & UrlContentDeps,
): UrlContent {
  const { unknownFields } = context;
  const parts = decodeManifestParts(body, { unknownFields });
  if (parts.kind === "refused") {
    return { kind: "refused", reason: describeFaults(parts.faults) };
  }
  const found = new Findings(context);
  for (const pod of parts.pods) found.pod(pod);
  for (const object of parts.objects) found.object(object);
  found.faulty.push(...parts.faulty);
  logWarnings(parts.warnings, context);
  const { pods, objects, faulty } = found;
  const namesPods = pods.length > 0 ||
    faulty.some(({ isPod, named }) => isPod && named !== undefined);
  if (!namesPods && !parts.hasEmptyList) {
    const faults = faulty.flatMap((part) => part.faults);
    const reason = faults.length === 0
      ? "it has no pod, wanted one, or an empty PodList to remove all pods"
      : describeFaults(faults);
    return { kind: "refused", reason };
  }
  const kept = keptOf(held, { found, nodeName: context.nodeName });
  const content = keepEqual(held, {
    pods: [...pods, ...kept.pods],
    objects: [...objects, ...kept.objects],
  });
  const reports = faulty.slice(0, MAX_REPORTS)
    .map((part, at) => report(part, { at, held, context }));
  const more = faulty.length - reports.length;
  if (more > 0) reports.push(reportOnMore(more, context));
  const { isByNode } = found;
  return { kind: "accepted", content, reports, isByNode };
}

type Context = UrlContentOptions & UrlContentDeps;

/** The valid and the other parts of one answer. */
class Findings {
  readonly pods: Pod[] = [];
  readonly objects: LocalObject[] = [];
  readonly faulty: FaultyPart[] = [];
  readonly podNames: Set<string> = new Set();
  readonly objectNames: Set<string> = new Set();
  isByNode = false;
  readonly #uids = new Set<string>();
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  pod(decoded: Parameters<typeof identifyPod>[0]): void {
    const { nodeName, url, check } = this.#context;
    const { name, namespace } = decoded.metadata;
    const named = namespace === undefined ? { name } : { name, namespace };
    const refuse = (faults: readonly Fault[]): void => {
      this.faulty.push({ isPod: true, kind: "Pod", named, faults });
    };
    const origin = { kind: "http", url } as const;
    const identified = identifyPod(decoded, { nodeName, origin });
    if (identified.kind === "refused") return refuse(identified.faults);
    const { pod } = identified;
    const key = podKey(pod.metadata);
    const { uid } = pod.metadata;
    const isNameTaken = this.podNames.has(key);
    if (isNameTaken || this.#uids.has(uid)) {
      const field = isNameTaken ? "metadata.name" : "metadata.uid";
      const value = isNameTaken ? key : uid;
      const message = `Duplicate value: "${value}": another pod comes first`;
      return refuse([{ field, message }]);
    }
    const faults = check?.(pod, decoded.warnings) ?? [];
    if (faults.length > 0) {
      this.isByNode = true;
      return refuse(faults);
    }
    this.podNames.add(key);
    this.#uids.add(uid);
    this.pods.push(pod);
  }

  object(object: LocalObject): void {
    const name = keyOfObject(object);
    if (!this.objectNames.has(name)) {
      this.objectNames.add(name);
      this.objects.push(object);
      return;
    }
    const message = `Duplicate value: "${name}": another one comes first`;
    const faults = [{ field: "metadata.name", message }];
    const { kind } = object;
    this.faulty.push({ isPod: false, kind, named: nameOf(object), faults });
  }
}

/** What of the content before stays because of parts that are not valid now. */
function keptOf(
  held: SourceContent,
  options: { readonly found: Findings; readonly nodeName: string },
): SourceContent {
  const { found, nodeName } = options;
  const { faulty } = found;
  if (faulty.length === 0) return { pods: [], objects: [] };
  const isAnyone = faulty.some(({ named }) => named === undefined);
  const claims = new Set(faulty.flatMap((part) => claimsOf(part, nodeName)));
  return {
    pods: held.pods.filter((pod) =>
      !found.podNames.has(podKey(pod.metadata)) &&
      (isAnyone || claims.has(claimOfPod(pod)))
    ),
    objects: held.objects.filter((object) =>
      !found.objectNames.has(keyOfObject(object)) &&
      (isAnyone || claims.has(claimOfObject(object)))
    ),
  };
}

/** What a faulty part can be the next version of: of every kind if it says none. */
function claimsOf(
  { named, kind }: FaultyPart,
  nodeName: string,
): readonly string[] {
  if (named === undefined) return [];
  const kinds = kind === undefined ? KINDS : [kind];
  return kinds.map((one) =>
    one === "Pod"
      ? `Pod ${podKeyOf(named, nodeName)}`
      : `${one} ${keyOf(named)}`
  );
}

const claimOfPod = ({ metadata }: Pod): string => `Pod ${podKey(metadata)}`;
const claimOfObject = (object: LocalObject): string =>
  `${object.kind} ${keyOf(nameOf(object))}`;

const KINDS: readonly NonNullable<FaultyPart["kind"]>[] = [
  "Pod",
  "ConfigMap",
  "Secret",
  "PersistentVolumeClaim",
  "RuntimeClass",
];

function report(
  part: FaultyPart,
  options: {
    readonly at: number;
    readonly held: SourceContent;
    readonly context: Context;
  },
): FileReport {
  const { at, held, context } = options;
  const { named, faults } = part;
  // The parts of one answer are told apart as the fragments of a URL are.
  const isObject = part.kind !== undefined && part.kind !== "Pod";
  const place = named === undefined
    ? `part-${at + 1}`
    : isObject
    ? `${part.kind}/${keyOf(named)}`
    : keyOf(named);
  const file = `${context.shownUrl}#${place}`;
  const claims = claimsOf(part, context.nodeName);
  const pods = held.pods.filter((pod) => claims.includes(claimOfPod(pod)));
  const objects = held.objects.filter((object) =>
    claims.includes(claimOfObject(object))
  );
  if (pods.length + objects.length > 0) {
    return { kind: "last_good", file, faults, pods };
  }
  const isPod = part.isPod && named !== undefined;
  return { kind: "refused", file, faults, named: isPod ? [named] : [] };
}

function reportOnMore(count: number, context: Context): FileReport {
  const message = `${count} more parts are not valid`;
  const file = `${context.shownUrl}#more`;
  return { kind: "refused", file, faults: [{ field: "", message }], named: [] };
}

// Each is a line in the log and a row in the metrics.
const MAX_REPORTS = 100;

function keyOf(named: PodNameHint | undefined): string {
  return named === undefined
    ? ""
    : `${named.namespace ?? "default"}/${named.name}`;
}

function podKeyOf(named: PodNameHint | undefined, nodeName: string): string {
  return named === undefined ? "" : `${keyOf(named)}-${nodeName.toLowerCase()}`;
}

function nameOf(object: LocalObject): PodNameHint {
  const { name } = object;
  return "namespace" in object
    ? { name, namespace: object.namespace }
    : { name };
}

function logWarnings(warnings: readonly Fault[], context: Context): void {
  if (warnings.length === 0) return;
  context.log.warn("manifest_warnings", {
    file: context.shownUrl,
    warnings: warnings.slice(0, SHOWN).map(formatFault),
  });
}

// A line of the log holds a few.
const SHOWN = 3;

/** Two contents; of what both have, the first. */
export function uniteContents(
  first: SourceContent,
  second: SourceContent,
): SourceContent {
  const pods = new Set(first.pods.map(({ metadata }) => podKey(metadata)));
  const names = new Set(first.objects.map(keyOfObject));
  return {
    pods: [
      ...first.pods,
      ...second.pods.filter(({ metadata }) => !pods.has(podKey(metadata))),
    ],
    objects: [
      ...first.objects,
      ...second.objects.filter((object) => !names.has(keyOfObject(object))),
    ],
  };
}

function keyOfObject(object: LocalObject): string {
  return formatObjectId(objectId(object));
}
