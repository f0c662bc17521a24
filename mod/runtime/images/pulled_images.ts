/**
 * What is remembered of how images came to the node.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { askAgain, type Clock, isRecord, Semaphore } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { CriError, type ListedImage } from "../../cri/model/mod.ts";
import {
  type DiskFiles,
  openRecord,
  sealRecord,
} from "../../host/files/mod.ts";
import type { PullCredential } from "../credentials/mod.ts";
import {
  type GrantedSecret,
  grantingSecret,
  isPulledRecord,
  type PulledRecord,
  type VerificationRules,
  wantsVerification,
  withGrant,
} from "./image_access.ts";
import { listedName, repositoryOf } from "./image_reference.ts";

interface PulledDeps {
  readonly files: Pick<
    DiskFiles,
    "makeDirectory" | "replace" | "readTail" | "list" | "remove"
  >;
  readonly clock: Clock;
  readonly log: Logger;
}

interface PulledOptions {
  /** Where records lie; made when the first is written. */
  readonly directory: string;
  readonly rules: VerificationRules;
}

/** An image by the name that a container gives it, and by the runtime's. */
export interface FoundImage {
  readonly image: string;
  readonly imageId: string;
}

/** What came of a pull. */
export interface PulledImage {
  readonly imageId: string;
  /** Absent for one as anyone. */
  readonly credential: PullCredential | undefined;
}

/** Remembers pulls, and says who may have what is there without one. */
export interface ImageRecords {
  /** Whether a pod that can show these Secrets may have an image that is on the node. */
  mayUse(
    found: FoundImage,
    shown: () => readonly PullCredential[],
  ): Promise<boolean>;
  /**
   * Has an image pulled, and remembers for whom.
   *
   * @throws {FileError} When the disk does not take what must be on it before the pull.
   * @throws {unknown} What `pull` rejects with.
   */
  around<Pulled extends PulledImage>(
    wanted: {
      readonly image: string;
      readonly credentials: readonly PullCredential[];
    },
    pull: () => Promise<Pulled>,
  ): Promise<Pulled>;
}

/** A pull that goes on, or of which it is not known how it ended. */
interface Intent {
  /** As its container names the image; `undefined` where the file is damaged. */
  readonly image: string | undefined;
  readonly running: number;
  /** An earlier pull may have brought the image without a record of it. */
  readonly isOpen: boolean;
}

const MAX_RECORD_BYTES = 1 << 20;

/** Files of records are named so, as upstream's. */
const RECORD_NAME = /^sha256-[0-9a-f]{64}$/;

/**
 * Remembers which images were pulled and for whom, so that one that was pulled with the
 * Secret of a pod is not free for a pod that has none.
 *
 * Before a pull with a Secret an intent is on the disk, and after it a record, which takes
 * its place: whatever an agent that is killed or a power cut leaves behind, the image
 * is not taken for one that was always there. What cannot be read counts as pulled for
 * nobody. (Upstream: pkg/kubelet/images/pullmanager.)
 */
export class PulledImages implements ImageRecords {
  readonly #deps: PulledDeps;
  readonly #rules: VerificationRules;
  readonly #pulled: string;
  readonly #pulling: string;
  /** By the name of the file. */
  readonly #records = new Map<string, PulledRecord>();
  /** Files of records that the disk did not take. */
  readonly #unwritten = new Set<string>();
  /** By the name of the file. */
  readonly #intents = new Map<string, Intent>();
  /** Files are written one after the other. */
  readonly #turn = new Semaphore(1);
  #isWhole = false;

  private constructor(deps: PulledDeps, options: PulledOptions) {
    this.#deps = deps;
    this.#rules = options.rules;
    this.#pulled = `${options.directory}/pulled`;
    this.#pulling = `${options.directory}/pulling`;
  }

  /** Reads what there is; what the disk does not give is asked for a few times. */
  static async load(
    deps: PulledDeps,
    options: PulledOptions,
  ): Promise<PulledImages> {
    const images = new PulledImages(deps, options);
    const failures = await askAgain(deps.clock, () => images.#read());
    for (const error of failures) {
      deps.log.error("image_records_unreadable", { error });
    }
    return images;
  }

  async mayUse(
    found: FoundImage,
    shown: () => readonly PullCredential[],
  ): Promise<boolean> {
    const repository = repositoryOf(found.image);
    const record = this.#records.get(fileOf(found.imageId));
    const isPulled = record !== undefined || !this.#isWhole ||
      this.#intents.has(fileOf(found.image));
    if (!wantsVerification(this.#rules, { repository, isPulled })) return true;
    const grant = record?.[repository];
    if (grant === undefined || grant.isOpen) return grant !== undefined;
    const secret = grantingSecret(grant, shown().flatMap(secretOf));
    if (secret === undefined) return false;
    // By its other login, or its other name, it is known from now on.
    await this.#remember(found, secret);
    return true;
  }

  async around<Pulled extends PulledImage>(
    wanted: {
      readonly image: string;
      readonly credentials: readonly PullCredential[];
    },
    pull: () => Promise<Pulled>,
  ): Promise<Pulled> {
    const { image, credentials } = wanted;
    // Without a Secret the image is for all, as it is without any record.
    const isForAll = credentials.every(({ secret }) => secret === undefined);
    if (!isForAll) await this.#intend(image);
    let end: PullKnowledge = "unknown";
    try {
      const done = await pull();
      const { imageId, credential } = done;
      const [secret] = credential === undefined ? [] : secretOf(credential);
      if (await this.#remember({ image, imageId }, secret)) end = "remembered";
      return done;
    } catch (error) {
      if (hasBroughtNothing(error)) end = "nothing";
      throw error;
    } finally {
      if (!isForAll) await this.#settle(image, end);
    }
  }

  /**
   * Compares with what the runtime has: forgets images that are gone, and keeps from all
   * pods what a pull may have brought of which the end is not known.
   *
   * @throws {unknown} What `list` rejects with.
   */
  async forgetGone(
    list: () => Promise<readonly ListedImage[]>,
  ): Promise<void> {
    const records = [...this.#records];
    const intents = [...this.#intents];
    if (records.length + intents.length === 0) return;
    const listed = await list();
    const ids = new Set(listed.map(({ id }) => fileOf(id)));
    for (const [file, record] of records) {
      using _turn = await this.#turn.acquire();
      // Another one may have come since the list was asked for.
      if (ids.has(file) || this.#records.get(file) !== record) continue;
      this.#records.delete(file);
      await this.#remove(`${this.#pulled}/${file}`);
    }
    for (const [file, intent] of intents) {
      const { image } = intent;
      if (image === undefined) continue;
      using _turn = await this.#turn.acquire();
      // Its pull has ended since, or another one has begun.
      if (this.#intents.get(file) !== intent) continue;
      const name = listedName(image);
      const brought = listed.find(({ names }) => names.includes(name));
      const isKept = brought === undefined || await this.#close(brought.id);
      if (isKept) await this.#dropIntent(file);
    }
  }

  /** @returns whether the disk knows that this image is for nobody yet */
  async #close(imageId: string): Promise<boolean> {
    const file = fileOf(imageId);
    const grants = this.#records.get(file) ?? {};
    const isKnown = this.#records.has(file) && !this.#unwritten.has(file);
    return isKnown || await this.#put(file, { imageId, grants });
  }

  async #intend(image: string): Promise<void> {
    using _turn = await this.#turn.acquire();
    const file = fileOf(image);
    const known = this.#intents.get(file);
    if (known === undefined) {
      await this.#write(`${this.#pulling}/${file}`, { image });
    }
    const { running = 0, isOpen = false } = known ?? {};
    this.#intents.set(file, { image, running: running + 1, isOpen });
  }

  /** A pull with an intent is over. */
  async #settle(image: string, end: PullKnowledge): Promise<void> {
    using _turn = await this.#turn.acquire();
    const file = fileOf(image);
    const { running = 1, isOpen = false } = this.#intents.get(file) ?? {};
    this.#intents.set(file, {
      image,
      running: running - 1,
      isOpen: end === "unknown" || end === "nothing" && isOpen,
    });
    if (!this.#intents.get(file)?.isOpen) await this.#dropIntent(file);
  }

  /** Unless a pull needs it. */
  async #dropIntent(file: string): Promise<void> {
    if (this.#intents.get(file)?.running !== 0) return;
    this.#intents.delete(file);
    await this.#remove(`${this.#pulling}/${file}`);
  }

  /** @returns whether the disk has it */
  async #remember(
    { image, imageId }: FoundImage,
    secret: GrantedSecret | undefined,
  ): Promise<boolean> {
    using _turn = await this.#turn.acquire();
    const file = fileOf(imageId);
    const repository = repositoryOf(image);
    const before = this.#records.get(file) ?? {};
    const grant = withGrant(before[repository], secret);
    const isKnown = grant === before[repository];
    if (isKnown && !this.#unwritten.has(file)) {
      // Anew: a list that was asked for before says nothing of this image.
      this.#records.set(file, { ...before });
      return true;
    }
    const grants = { ...before, [repository]: grant };
    return await this.#put(file, { imageId, grants });
  }

  /** @returns whether the disk has it */
  async #put(
    file: string,
    record: { readonly imageId: string; readonly grants: PulledRecord },
  ): Promise<boolean> {
    this.#records.set(file, record.grants);
    try {
      await this.#write(`${this.#pulled}/${file}`, record);
      this.#unwritten.delete(file);
      return true;
    } catch (error) {
      this.#unwritten.add(file);
      this.#deps.log.error("image_record_write_failed", { error });
      return false;
    }
  }

  /** A file that a power cut left empty would keep an image from all pods. */
  async #write(path: string, record: object): Promise<void> {
    const { files } = this.#deps;
    await files.makeDirectory(dirname(path), 0o700);
    const { text } = sealRecord(record);
    await files.replace(path, text, { durable: true });
  }

  /** What stays behind says too little of an image, never too much. */
  async #remove(path: string): Promise<void> {
    try {
      await this.#deps.files.remove(path);
    } catch (error) {
      this.#deps.log.warn("image_record_not_removed", { path, error });
    }
  }

  /** @returns what the disk did not give */
  async #read(): Promise<readonly unknown[]> {
    const ofRecords = await this.#readAll(this.#pulled, (file, record) => {
      const grants = isRecord(record) ? record["grants"] : undefined;
      this.#records.set(file, isPulledRecord(grants) ? grants : {});
    });
    const ofIntents = await this.#readAll(this.#pulling, (file, record) => {
      const named = isRecord(record) ? record["image"] : undefined;
      const image = typeof named === "string" ? named : undefined;
      this.#intents.set(file, { image, running: 0, isOpen: true });
    });
    this.#isWhole = ofRecords.isWhole && ofIntents.isWhole;
    return [...ofRecords.failures, ...ofIntents.failures];
  }

  /** @param take gets no record for a file that is damaged or cannot be read */
  async #readAll(
    directory: string,
    take: (file: string, record: unknown) => void,
  ): Promise<{
    readonly isWhole: boolean;
    readonly failures: readonly unknown[];
  }> {
    const { files, log } = this.#deps;
    let names: readonly string[];
    try {
      names = await files.list(directory);
    } catch (error) {
      return { isWhole: false, failures: [error] };
    }
    const failures: unknown[] = [];
    for (const file of names) {
      const path = `${directory}/${file}`;
      // An agent that was killed while it wrote leaves its draft behind.
      if (DRAFT_NAME.test(file)) await this.#remove(path);
      if (!RECORD_NAME.test(file)) continue;
      try {
        const bytes = await files.readTail(path, MAX_RECORD_BYTES);
        const opened = openRecord(new TextDecoder().decode(bytes));
        if (opened === undefined) log.error("image_record_corrupt", { path });
        take(file, opened?.record);
      } catch (error) {
        failures.push(error);
        take(file, undefined);
      }
    }
    return { isWhole: true, failures };
  }
}

/** What is known of a pull that is over. */
type PullKnowledge = "remembered" | "nothing" | "unknown";

const DRAFT_NAME = /^\.sha256-[0-9a-f]{64}\.[0-9-]+\.tmp$/;

function fileOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("hex")}`;
}

function secretOf(
  { secret, fingerprint }: PullCredential,
): readonly GrantedSecret[] {
  return secret === undefined ? [] : [{ ...secret, hash: fingerprint }];
}

/** A runtime that has not said so may still finish a pull. */
function hasBroughtNothing(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every(hasBroughtNothing);
  }
  return error instanceof CriError && error.method === "PullImage" &&
    !UNCLEAR.has(error.kind);
}

const UNCLEAR: ReadonlySet<CriError["kind"]> = new Set([
  "cancelled",
  "deadline",
  "unavailable",
]);
