/**
 * Turns the answer of a URL into the pods that are to run.
 *
 * @module
 */

import type { Fault, UnknownFields } from "../../api/fault/mod.ts";
import {
  formatObjectId,
  type LocalObject,
  objectId,
  podKey,
} from "../../api/objects/mod.ts";
import {
  decodeManifestParts,
  type FaultyPart,
  ITEM_KINDS,
  type PodNameHint,
} from "../../api/read/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  isWorkloadKind,
  workloadId,
  type WorkloadManifest,
} from "../../api/workload/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import {
  checkTemplate,
  describeFaults,
  hintOf,
  identifyPod,
  keepEqual,
  logWarnings,
} from "../file/mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import {
  faultReport,
  type FileReport,
  NO_CONTENT,
  type PodCheck,
} from "../mod.ts";

/** How answers are read. */
export interface UrlContentContext {
  /** As configured, in any case. */
  readonly nodeName: string;
  /** Without user and password; part of the UIDs. */
  readonly url: string;
  /** What the URL is called in reports. */
  readonly shownUrl: string;
  readonly unknownFields: UnknownFields;
  readonly log: Logger;
  /** What this node has against a valid pod; a fault refuses that pod alone. */
  readonly check: PodCheck;
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
  context: UrlContentContext,
): UrlContent {
  const { unknownFields } = context;
  const parts = decodeManifestParts(body, { unknownFields });
  if (parts.kind === "refused") {
    return { kind: "refused", reason: describeFaults(parts.faults) };
  }
  const found = new Findings(context);
  for (const pod of parts.pods) found.pod(pod);
  for (const object of parts.objects) found.object(object);
  for (const workload of parts.workloads) found.workload(workload);
  found.faulty.push(...parts.faulty);
  logWarnings(parts.warnings, { file: context.shownUrl, log: context.log });
  const { pods, objects, workloads, faulty } = found;
  const namesPods = pods.length + workloads.length > 0 ||
    faulty.some((part) => part.named !== undefined && makesPods(part));
  if (!namesPods && !parts.hasEmptyList) {
    const faults = faulty.flatMap((part) => part.faults);
    const reason = faults.length === 0
      ? "it has no pod, wanted one, or an empty PodList to remove all pods"
      : describeFaults(faults);
    return { kind: "refused", reason };
  }
  const kept = keptOf(held, { found, nodeName: context.nodeName });
  const content = keepEqual(held, joined({ pods, objects, workloads }, kept));
  const reports = faulty.slice(0, MAX_REPORTS)
    .map((part, at) => report(part, { at, held, context }));
  const more = faulty.length - reports.length;
  if (more > 0) {
    const faults = [{ field: "", message: `${more} more parts are not valid` }];
    const file = `${context.shownUrl}#more`;
    reports.push({ kind: "refused", file, faults, named: [] });
  }
  const { isByNode } = found;
  return { kind: "accepted", content, reports, isByNode };
}

/** The valid and the other parts of one answer. */
class Findings {
  readonly pods: Pod[] = [];
  readonly objects: LocalObject[] = [];
  readonly workloads: WorkloadManifest[] = [];
  readonly faulty: FaultyPart[] = [];
  /** What the valid parts are called. */
  readonly claims: Set<string> = new Set();
  isByNode = false;
  readonly #uids = new Set<string>();
  readonly #context: UrlContentContext;

  constructor(context: UrlContentContext) {
    this.#context = context;
  }

  pod(decoded: Parameters<typeof identifyPod>[0]): void {
    const { nodeName, url, check } = this.#context;
    const named = hintOf(decoded.metadata);
    const refuse = (faults: readonly Fault[]): void => {
      this.faulty.push({ isPod: true, kind: "Pod", named, faults });
    };
    const origin = { kind: "http", url } as const;
    const identified = identifyPod(decoded, { nodeName, origin });
    if (identified.kind === "refused") return refuse(identified.faults);
    const { pod } = identified;
    const key = podKey(pod.metadata);
    const { uid } = pod.metadata;
    const claim = claimOfPod(pod);
    const isNameTaken = this.claims.has(claim);
    if (isNameTaken || this.#uids.has(uid)) {
      const field = isNameTaken ? "metadata.name" : "metadata.uid";
      const value = isNameTaken ? key : uid;
      const message = `Duplicate value: "${value}": another pod comes first`;
      return refuse([{ field, message }]);
    }
    const faults = check(pod, decoded.warnings);
    if (faults.length > 0) {
      this.isByNode = true;
      return refuse(faults);
    }
    this.claims.add(claim);
    this.#uids.add(uid);
    this.pods.push(pod);
  }

  object(object: LocalObject): void {
    const claim = claimOfObject(object);
    const named = hintOf(object);
    const { kind } = object;
    if (
      this.#isFree(claim, formatObjectId(objectId(object)), { kind, named })
    ) {
      this.claims.add(claim);
      this.objects.push(object);
    }
  }

  workload(workload: WorkloadManifest): void {
    const claim = claimOfWorkload(workload);
    const named = hintOf(workload.metadata);
    const { kind } = workload;
    const name = formatObjectId(workloadId(workload));
    if (!this.#isFree(claim, name, { kind, named })) return;
    const faults = checkTemplate(workload, this.#context.check);
    if (faults.length > 0) {
      this.isByNode = true;
      this.faulty.push({ isPod: false, kind, named, faults });
      return;
    }
    this.claims.add(claim);
    this.workloads.push(workload);
  }

  /** Whether nothing before has that name. */
  #isFree(
    claim: string,
    name: string,
    part: Required<Pick<FaultyPart, "kind" | "named">>,
  ): boolean {
    if (!this.claims.has(claim)) return true;
    const message = `Duplicate value: "${name}": another one comes first`;
    const faults = [{ field: "metadata.name", message }];
    this.faulty.push({ isPod: false, ...part, faults });
    return false;
  }
}

/** What of the content before stays because of parts that are not valid now. */
function keptOf(
  held: SourceContent,
  options: { readonly found: Findings; readonly nodeName: string },
): SourceContent {
  const { claims, faulty } = options.found;
  if (faulty.length === 0) return NO_CONTENT;
  const isAnyone = faulty.some(({ named }) => named === undefined);
  const wanted = new Set(
    faulty.flatMap((part) => claimsOf(part, options.nodeName)),
  );
  return only(
    held,
    (claim) => !claims.has(claim) && (isAnyone || wanted.has(claim)),
  );
}

/** What a faulty part can be the next version of: of every kind if it says none. */
function claimsOf(
  { named, kind }: FaultyPart,
  nodeName: string,
): readonly string[] {
  if (named === undefined) return [];
  const kinds = kind === undefined ? [...ITEM_KINDS.keys()] : [kind];
  const suffix = `-${nodeName.toLowerCase()}`;
  return kinds.map((one) =>
    `${one} ${keyOf(named)}${one === "Pod" ? suffix : ""}`
  );
}

const claimOfPod = ({ metadata }: Pod): string => `Pod ${podKey(metadata)}`;
const claimOfObject = (object: LocalObject): string =>
  `${object.kind} ${keyOf(object)}`;

const claimOfWorkload = ({ kind, metadata }: WorkloadManifest): string =>
  `${kind} ${keyOf(metadata)}`;

/** Whether a faulty part says that it is a pod, or what makes pods. */
function makesPods({ isPod, kind }: FaultyPart): boolean {
  return isPod || isWorkloadKind(kind);
}

function report(
  part: FaultyPart,
  options: {
    readonly at: number;
    readonly held: SourceContent;
    readonly context: UrlContentContext;
  },
): FileReport {
  const { at, held, context } = options;
  const { named, faults } = part;
  // Each part of an answer is named like a fragment of the URL.
  const isObject = part.kind !== undefined && part.kind !== "Pod";
  const place = named === undefined
    ? `part-${at + 1}`
    : isObject
    ? `${part.kind}/${keyOf(named)}`
    : keyOf(named);
  const file = `${context.shownUrl}#${place}`;
  const claims = claimsOf(part, context.nodeName);
  const isPod = part.isPod && named !== undefined;
  return faultReport(
    { file, faults, named: isPod ? [named] : [] },
    only(held, (claim) => claims.includes(claim)),
  );
}

// Each is a line in the log and a row in the metrics.
const MAX_REPORTS = 100;

function keyOf({ name, namespace = "default" }: PodNameHint): string {
  return `${namespace}/${name}`;
}

/** Two contents; of what both have, the first. */
export function uniteContents(
  first: SourceContent,
  second: SourceContent,
): SourceContent {
  const claims = new Set([
    ...first.pods.map(claimOfPod),
    ...first.objects.map(claimOfObject),
    ...first.workloads.map(claimOfWorkload),
  ]);
  return joined(first, only(second, (claim) => !claims.has(claim)));
}

function joined(first: SourceContent, second: SourceContent): SourceContent {
  return {
    pods: [...first.pods, ...second.pods],
    objects: [...first.objects, ...second.objects],
    workloads: [...first.workloads, ...second.workloads],
  };
}

function only(
  { pods, objects, workloads }: SourceContent,
  isWanted: (claim: string) => boolean,
): SourceContent {
  return {
    pods: pods.filter((pod) => isWanted(claimOfPod(pod))),
    objects: objects.filter((object) => isWanted(claimOfObject(object))),
    workloads: workloads.filter((one) => isWanted(claimOfWorkload(one))),
  };
}
