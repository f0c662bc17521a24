/**
 * From one manifest file to what it gives.
 *
 * @module
 */

import { createHash } from "node:crypto";
import {
  type DecodedPod,
  decodeManifest,
  placePodFaults,
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
import { identifyPod } from "./identify_pod.ts";
import type { KeptManifests } from "./kept_manifests.ts";

/** What {@linkcode ManifestReader} is built on. */
export interface ManifestReaderDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: Pick<ManifestFiles, "read">;
  readonly kept: Pick<KeptManifests, "load">;
  /** A fault refuses the manifest like any other. */
  readonly check?: PodCheck;
  /**
   * What becomes of fields that the API does not have.
   *
   * @default "refuse"
   */
  readonly unknownFields?: UnknownFields;
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
        case "not_regular":
          return await this.#unreadable(file, describeNotRegular(found.what));
        case "too_large": {
          const { entry } = await this.#unreadable(file, tooLarge(found.stamp));
          return this.#entry(file, entry, found.stamp);
        }
        case "read":
          if (!sameStamp(found.stamp, stamp)) {
            return { kind: "unsettled", stamp: found.stamp };
          }
          return await this.#content(file, found);
      }
    } catch (error) {
      return await this.#unreadable(file, describeError(error));
    }
  }

  /** What becomes of a file that is not even opened, for the reason given. */
  async refuse(file: KnownFile, reason: string): Promise<FileEntry> {
    return (await this.#unreadable(file, reason)).entry;
  }

  /** What stands for a file of which it is too early to tell what it says. */
  async hold(file: KnownFile): Promise<FileEntry> {
    const lastGood = await this.#lastGoodOf(file);
    return { verdict: { kind: "unsettled", lastGood } };
  }

  async #content(
    file: KnownFile,
    found: { readonly bytes: Uint8Array; readonly stamp: FileStamp },
  ): Promise<ReadOutcome> {
    const { bytes, stamp } = found;
    const digest = digestOf(bytes);
    const { entry } = file;
    if (entry?.digest === digest && !mayBeTaken(entry.verdict)) {
      const verdict = await this.#recall(file, entry.verdict);
      return this.#entry(file, { digest, verdict }, stamp);
    }
    const verdict = await this.#judge(file, bytes);
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
    const read = this.#decode(file.path, bytes);
    if (read.kind === "refused") {
      const { kind: _kind, ...why } = read;
      const lastGood = await this.#lastGoodOf(file);
      return { kind: "faulty", ...why, lastGood };
    }
    const { entry } = file;
    const before = entry === undefined ? undefined : contentOf(entry.verdict);
    const content = before === undefined
      ? read.content
      : keepEqual(before, read.content);
    return { kind: "accepted", content };
  }

  #decode(path: string, bytes: Uint8Array): DecodedFile {
    const { unknownFields = "refuse" } = this.#deps;
    const manifest = decodeManifest(bytes, { unknownFields });
    if (manifest.kind === "refused") return manifest;
    const pods: Pod[] = [];
    const refused: (readonly Fault[])[] = [];
    const named: PodNameHint[] = [];
    let isByNode = false;
    for (const decoded of manifest.pods) {
      const { name, namespace } = decoded.metadata;
      named.push(namespace === undefined ? { name } : { name, namespace });
      const accepted = this.#accept(decoded, path);
      if (accepted.kind === "ok") pods.push(accepted.pod);
      else isByNode ||= accepted.isByNode;
      refused.push(accepted.kind === "ok" ? [] : accepted.faults);
    }
    const faults = placePodFaults(bytes, refused);
    const { objects, warnings } = manifest;
    if (warnings.length > 0) {
      // Those of a pod become events as well; an object has nothing but this.
      this.#deps.log.warn("manifest_warnings", {
        file: path,
        warnings: warnings.slice(0, SHOWN_WARNINGS).map(formatFault),
      });
    }
    return faults.length === 0
      ? { kind: "ok", content: { pods, objects } }
      : { kind: "refused", faults, named, isByNode };
  }

  /** Gives a pod its identity, unless that or this node speaks against it. */
  #accept(decoded: DecodedPod, path: string): AcceptedPod {
    const identified = identifyPod(decoded, {
      nodeName: this.#nodeName,
      origin: { kind: "file", path },
    });
    if (identified.kind === "refused") {
      return { ...identified, isByNode: false };
    }
    const { pod } = identified;
    const faults = this.#deps.check?.(pod, decoded.warnings) ?? [];
    return faults.length === 0
      ? { kind: "ok", pod }
      : { kind: "refused", faults, isByNode: true };
  }

  async #unreadable(
    file: KnownFile,
    message: string,
  ): Promise<{ readonly kind: "entry"; readonly entry: FileEntry }> {
    const lastGood = await this.#lastGoodOf(file);
    const faults = [{ field: "", message }];
    const verdict: FileVerdict = {
      kind: "faulty",
      faults,
      named: [],
      lastGood,
    };
    return { kind: "entry", entry: { verdict } };
  }

  async #lastGoodOf(file: KnownFile): Promise<Kept<FileContent>> {
    const verdict = file.entry?.verdict;
    if (verdict?.kind === "accepted") {
      return { kind: "present", content: verdict.content };
    }
    const known = verdict?.lastGood;
    return known === undefined || known.kind === "unknown"
      ? await this.#deps.kept.load(file.path)
      : known;
  }

  // A file can change again within one tick of the clock of its file system, so
  // a fresh stamp does not prove that what was read is still there. How old it is the
  // wall clock tells, or, where files are from the future, how long it has been known.
  #entry(
    file: KnownFile,
    { digest, verdict }: FileEntry,
    stamp: FileStamp,
  ): ReadOutcome {
    const { clock } = this.#deps;
    const content = { ...(digest !== undefined && { digest }), verdict };
    const nowMs = clock.monotonic();
    const known = file.entry?.unproven;
    const unproven = known !== undefined && sameStamp(known.stamp, stamp)
      ? known
      : { stamp, sinceMs: nowMs };
    const ageMs = Math.max(
      clock.now() - Math.max(stamp.modifiedMs, stamp.changedMs),
      nowMs - unproven.sinceMs,
    );
    const proof = ageMs >= STAMP_PROOF_MS ? { stamp } : { unproven };
    return { kind: "entry", entry: { ...content, ...proof } };
  }
}

// The coarsest time of modification that is still in use (FAT).
const STAMP_PROOF_MS = 2000;

// A line of the log holds a few; the rest shows in `skerry validate`.
const SHOWN_WARNINGS = 3;

type AcceptedPod =
  | { readonly kind: "ok"; readonly pod: Pod }
  | {
    readonly kind: "refused";
    readonly faults: readonly Fault[];
    readonly isByNode: boolean;
  };

type DecodedFile =
  | { readonly kind: "ok"; readonly content: FileContent }
  | {
    readonly kind: "refused";
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
    readonly isByNode?: boolean;
  };

/** The new content, each part of it as the very one held before if they say the same. */
export function keepEqual(
  before: FileContent,
  after: FileContent,
): FileContent {
  const heldPods = Map.groupBy(before.pods, ({ metadata }) => metadata.uid);
  const pods = after.pods.map((pod) =>
    heldPods.get(pod.metadata.uid)?.find((held) => deepEqual(held, pod)) ?? pod
  );
  const held = new Map<string, LocalObject>();
  for (const object of before.objects) held.set(nameOf(object), object);
  const objects = after.objects.map((object) => {
    const old = held.get(nameOf(object));
    return old !== undefined && sameObject(old, object) ? old : object;
  });
  return { pods, objects };
}

function nameOf(object: LocalObject): string {
  return formatObjectId(objectId(object));
}

// Of the node API, since that one answers at once; it is loaded for TLS anyway.
function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Says why something that is no file is not read. */
export function describeNotRegular(what: string): string {
  return `Cannot be read: it is of type "${what}", wanted a regular file`;
}

function tooLarge(stamp: FileStamp): string {
  return `Too long: it has ${stamp.size} bytes, at most ${MAX_MANIFEST_BYTES} are read`;
}
