/**
 * From one manifest file to what it gives.
 *
 * @module
 */

import { createHash } from "node:crypto";
import {
  decodeManifest,
  type Fault,
  type Pod,
  type PodNameHint,
} from "../api/mod.ts";
import { type Clock, describeError, type Logger } from "../base/mod.ts";
import type { FileStamp } from "../host/mod.ts";
import { deepEqual } from "./deep_equal.ts";
import { sameStamp } from "./file_hints.ts";
import {
  type FileEntry,
  type FileVerdict,
  podsOf,
  samePods,
} from "./file_state.ts";
import { identifyPod } from "./identity.ts";
import type { LastGoodStore, ManifestFiles } from "./ports.ts";

/** The kubelet's maxConfigLength (pkg/kubelet/config/common.go). */
export const MAX_MANIFEST_BYTES: number = 10 * 1024 * 1024;

/** What {@linkcode ManifestReader} is built on. */
export interface ManifestReaderDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: Pick<ManifestFiles, "read">;
  readonly lastGood: Pick<LastGoodStore, "load" | "save">;
  /**
   * What this node has against a valid pod: fields that it does not honour, hosts it
   * may not reach. A fault refuses the manifest like any other.
   */
  readonly check?: (pod: Pod) => readonly Fault[];
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

/** Reads manifests, judges them, and remembers what they last gave. */
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
          return this.#entry({ ...entry, stamp: found.stamp });
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
    if (entry?.digest === digest) return this.#entry({ ...entry, stamp });
    const verdict = await this.#judge(file, bytes);
    return this.#entry({ stamp, digest, verdict });
  }

  async #judge(file: KnownFile, bytes: Uint8Array): Promise<FileVerdict> {
    const read = this.#decode(file.path, bytes);
    if (read.kind === "refused") {
      const { faults, named } = read;
      const lastGood = await this.#lastGoodOf(file);
      return { kind: "faulty", faults, named, lastGood };
    }
    const before = file.entry === undefined ? [] : podsOf(file.entry.verdict);
    const pods = keepEqual(before, read.pods);
    const isKept = file.entry !== undefined && samePods(before, pods);
    if (!isKept) this.#deps.lastGood.save({ path: file.path, pods });
    return { kind: "accepted", pods };
  }

  #decode(path: string, bytes: Uint8Array): DecodedFile {
    const manifest = decodeManifest(bytes);
    if (manifest.kind === "refused") return manifest;
    const pods: Pod[] = [];
    const faults: Fault[] = [];
    const named: PodNameHint[] = [];
    for (const decoded of manifest.pods) {
      const { name, namespace } = decoded.metadata;
      named.push(namespace === undefined ? { name } : { name, namespace });
      const identified = identifyPod(decoded, {
        nodeName: this.#nodeName,
        origin: { kind: "file", path },
      });
      if (identified.kind === "refused") {
        faults.push(...identified.faults);
        continue;
      }
      faults.push(...this.#deps.check?.(identified.pod) ?? []);
      pods.push(identified.pod);
      const { ignored } = identified;
      if (ignored.length > 0) {
        this.#deps.log.warn("manifest_fields_ignored", {
          file: path,
          pod: name,
          fields: ignored,
        });
      }
    }
    return faults.length === 0
      ? { kind: "ok", pods }
      : { kind: "refused", faults, named };
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

  async #lastGoodOf(file: KnownFile): Promise<readonly Pod[] | undefined> {
    const verdict = file.entry?.verdict;
    const known = verdict?.kind === "accepted"
      ? verdict.pods
      : verdict?.lastGood;
    return known ?? (await this.#deps.lastGood.load(file.path))?.pods;
  }

  // A file can change again within one tick of the clock of its file system, so
  // a fresh stamp does not prove that what was read is still there.
  #entry(entry: FileEntry): ReadOutcome {
    const { stamp, ...rest } = entry;
    const isProof = stamp !== undefined &&
      this.#deps.clock.now() - stamp.modifiedMs >= STAMP_PROOF_MS;
    return { kind: "entry", entry: isProof ? entry : rest };
  }
}

// The coarsest time of modification that is still in use (FAT).
const STAMP_PROOF_MS = 2000;

type DecodedFile =
  | { readonly kind: "ok"; readonly pods: readonly Pod[] }
  | {
    readonly kind: "refused";
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
  };

/** The new pods, each as the very object held before if they say the same. */
function keepEqual(
  before: readonly Pod[],
  after: readonly Pod[],
): readonly Pod[] {
  return after.map((pod) =>
    before.find((held) =>
      held.metadata.uid === pod.metadata.uid && deepEqual(held, pod)
    ) ?? pod
  );
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
