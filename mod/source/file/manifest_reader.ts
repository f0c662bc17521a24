/**
 * From one manifest file to what it gives.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { workloadId } from "../../api/workload/mod.ts";
import {
  decodeManifest,
  placePodFaults,
  placeWorkloadFaults,
  type PodNameHint,
} from "../../api/read/mod.ts";
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
  sameObject,
} from "../../api/objects/mod.ts";
import { MAX_MANIFEST_BYTES } from "../../api/text/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { FileStamp } from "../../host/files/mod.ts";
import { deepEqual } from "../merge/mod.ts";
import { sameStamp } from "./file_hints.ts";
import {
  contentOf,
  type FileContent,
  type FileEntry,
  type FileVerdict,
  type Kept,
  type ManifestFiles,
  mayBeTaken,
  type PodCheck,
} from "../mod.ts";
import { checkTemplate } from "./check_template.ts";
import { identifyPod } from "./identify_pod.ts";
import type { KeptManifests } from "./kept_manifests.ts";

interface ManifestReaderDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: Pick<ManifestFiles, "read">;
  readonly kept: Pick<KeptManifests, "load" | "hasten">;
  /** A fault refuses the manifest like any other. */
  readonly check: PodCheck;
  /** What becomes of fields that the API does not have. */
  readonly unknownFields: UnknownFields;
}

/** The outcome of reading one file. */
export type ReadOutcome =
  | { readonly kind: "entry"; readonly entry: FileEntry }
  | { readonly kind: "missing" }
  /** It changed between the look at it and the reading. */
  | { readonly kind: "unsettled"; readonly stamp: FileStamp };

/** A file that is to be read, and what is known of it. */
export interface KnownFile {
  readonly path: string;
  readonly entry: FileEntry | undefined;
}

/** Reads manifests, judges them, and knows what they last gave. */
export class ManifestReader {
  readonly #nodeName: string;
  readonly #deps: ManifestReaderDeps;

  /** @param nodeName As configured, in any case. */
  constructor(nodeName: string, deps: ManifestReaderDeps) {
    this.#nodeName = nodeName;
    this.#deps = deps;
  }

  /** Reads a file that looked like `stamp` a moment ago. Never rejects. */
  async read(file: KnownFile, stamp: FileStamp): Promise<ReadOutcome> {
    try {
      const found = await this.#deps.files.read(file.path, MAX_MANIFEST_BYTES);
      switch (found.kind) {
        case "missing":
          return found;
        case "not_regular": {
          const reason = describeNotRegular(found.what);
          return { kind: "entry", entry: await this.refuse(file, reason) };
        }
        case "too_large": {
          const entry = await this.refuse(file, tooLarge(found.stamp));
          return this.#entry(file, entry, found.stamp);
        }
        case "read":
          if (!sameStamp(found.stamp, stamp)) {
            return { kind: "unsettled", stamp: found.stamp };
          }
          return await this.#content(file, found);
      }
    } catch (error) {
      const entry = await this.refuse(file, describeError(error));
      return { kind: "entry", entry };
    }
  }

  /** What becomes of a file whose content is not seen, for the reason given. */
  async refuse(file: KnownFile, reason: string): Promise<FileEntry> {
    const faults = [{ field: "", message: reason }];
    return { verdict: await this.#faulty(file, { faults, named: [] }) };
  }

  async #content(
    file: KnownFile,
    found: { readonly bytes: Uint8Array; readonly stamp: FileStamp },
  ): Promise<ReadOutcome> {
    const { bytes, stamp } = found;
    // The hash of the node API is synchronous, and the module is loaded for TLS anyway.
    const digest = createHash("sha256").update(bytes).digest("hex");
    const { entry } = file;
    const isSame = entry?.digest === digest && !mayBeTaken(entry.verdict);
    const verdict = isSame
      ? await this.#recall(file, entry.verdict)
      : await this.#judge(file, bytes);
    return this.#entry(file, { digest, verdict }, stamp);
  }

  /** The same verdict, with what the disk did not give before. */
  async #recall(file: KnownFile, verdict: FileVerdict): Promise<FileVerdict> {
    if (verdict.kind === "accepted" || verdict.lastGood.kind !== "unknown") {
      return verdict;
    }
    return { ...verdict, lastGood: await this.#lastGoodOf(file) };
  }

  async #judge(file: KnownFile, bytes: Uint8Array): Promise<FileVerdict> {
    const { path, entry } = file;
    const { check } = this.#deps;
    const manifest = decodeManifest(bytes, this.#deps);
    if (manifest.kind === "refused") return await this.#faulty(file, manifest);
    const pods: Pod[] = [];
    const refused: (readonly Fault[])[] = [];
    const named: PodNameHint[] = [];
    let isByNode = false;
    for (const decoded of manifest.pods) {
      named.push(hintOf(decoded.metadata));
      const identified = identifyPod(decoded, {
        nodeName: this.#nodeName,
        origin: { kind: "file", path },
      });
      if (identified.kind === "refused") {
        refused.push(identified.faults);
        continue;
      }
      const { pod } = identified;
      const faults = check(pod, decoded.warnings);
      isByNode ||= faults.length > 0;
      refused.push(faults);
      pods.push(pod);
    }
    const { objects, workloads, warnings } = manifest;
    const misfits = workloads.map((one) => checkTemplate(one, check));
    isByNode ||= misfits.some(({ length }) => length > 0);
    const faults = [
      ...placePodFaults(bytes, refused),
      ...placeWorkloadFaults(bytes, misfits),
    ];
    logWarnings(warnings, { file: path, log: this.#deps.log });
    if (faults.length > 0) {
      return await this.#faulty(file, { faults, named, isByNode });
    }
    const found = { pods, objects, workloads };
    const content = entry === undefined
      ? found
      : keepEqual(contentOf(entry.verdict), found);
    return { kind: "accepted", content };
  }

  async #faulty(file: KnownFile, why: WhyFaulty): Promise<FileVerdict> {
    return { ...why, kind: "faulty", lastGood: await this.#lastGoodOf(file) };
  }

  async #lastGoodOf(file: KnownFile): Promise<Kept<FileContent>> {
    const verdict = file.entry?.verdict;
    if (verdict?.kind === "accepted") {
      this.#deps.kept.hasten(file.path);
      return { kind: "present", content: verdict.content };
    }
    const known = verdict?.lastGood;
    return known === undefined || known.kind === "unknown"
      ? await this.#deps.kept.load(file.path)
      : known;
  }

  // A file can change again within one tick of the clock of its file system, so
  // a fresh stamp does not prove that what was read is still there. Its age is
  // by the wall clock; for a file from the future it is the time since it was first seen.
  #entry(file: KnownFile, entry: FileEntry, stamp: FileStamp): ReadOutcome {
    const { clock } = this.#deps;
    const nowMs = clock.monotonic();
    const before = file.entry?.read;
    const isSame = before !== undefined && sameStamp(before.stamp, stamp);
    const sinceMs = isSame ? before.sinceMs : nowMs;
    const ageMs = Math.max(
      clock.now() - Math.max(stamp.modifiedMs, stamp.changedMs),
      nowMs - sinceMs,
    );
    const isProof = ageMs >= STAMP_PROOF_MS;
    const read = { stamp, sinceMs, isProof };
    return { kind: "entry", entry: { ...entry, read } };
  }
}

type WhyFaulty = Omit<
  Extract<FileVerdict, { kind: "faulty" }>,
  "kind" | "lastGood"
>;

// The coarsest time of modification that is still in use (FAT).
const STAMP_PROOF_MS = 2000;

/** Logs warnings; those about a pod become events as well. */
export function logWarnings(
  warnings: readonly Fault[],
  context: { readonly file: string; readonly log: Logger },
): void {
  if (warnings.length === 0) return;
  context.log.warn("manifest_warnings", {
    file: context.file,
    // A line of the log holds a few; the rest shows in `skerry validate`.
    warnings: warnings.slice(0, 3).map(formatFault),
  });
}

/** Its name as a manifest has it, and no more of what may be large. */
export function hintOf({ name, namespace }: PodNameHint): PodNameHint {
  return namespace === undefined ? { name } : { name, namespace };
}

/** The new content, each part of it as the very one held before if they say the same. */
export function keepEqual(
  before: FileContent,
  after: FileContent,
): FileContent {
  return {
    pods: keepEach(before.pods, after.pods, {
      claim: claimOf,
      same: deepEqual,
    }),
    objects: keepEach(before.objects, after.objects, {
      claim: nameOf,
      same: sameObject,
    }),
    workloads: keepEach(before.workloads, after.workloads, {
      claim: (workload) => formatObjectId(workloadId(workload)),
      same: deepEqual,
    }),
  };
}

/**
 * Of those that claim the same, the first is compared with the first held, and so on: there
 * may be thousands of them, and two that say the same stay two.
 */
function keepEach<Item>(
  before: readonly Item[],
  after: readonly Item[],
  { claim, same }: {
    readonly claim: (item: Item) => string;
    readonly same: (held: Item, item: Item) => boolean;
  },
): readonly Item[] {
  const held = new Map<string, Iterator<Item>>();
  for (const [key, items] of Map.groupBy(before, claim)) {
    held.set(key, items.values());
  }
  return after.map((item) => {
    const next = held.get(claim(item))?.next();
    return next?.done === false && same(next.value, item) ? next.value : item;
  });
}

function claimOf({ metadata }: Pod): string {
  return `${metadata.uid} ${podKey(metadata)}`;
}

function nameOf(object: LocalObject): string {
  return formatObjectId(objectId(object));
}

/** Says why something that is no file is not read. */
export function describeNotRegular(what: string): string {
  return `Cannot be read: it is of type "${what}", wanted a regular file`;
}

function tooLarge(stamp: FileStamp): string {
  return `Too long: it has ${stamp.size} bytes, at most ${MAX_MANIFEST_BYTES} are read`;
}
