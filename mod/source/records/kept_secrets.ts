/**
 * How the Secrets of a set are kept on the disk, if they are.
 *
 * @module
 */

import {
  formatObjectId,
  type LocalObject,
  objectId,
  stableJson,
} from "../../api/objects/mod.ts";
import { type Clock, defined } from "../../base/mod.ts";
import { isTokenName } from "../../pod/inputs/mod.ts";
import type { Kept, RecordFiles } from "../mod.ts";
import {
  type SecretKeyPlace,
  SecretLock,
  SecretLockError,
} from "./secret_lock.ts";
import {
  type FoundContent,
  isStoredObject,
  type RecordContent,
  restoreObject,
  type StoredContent,
  type StoredObject,
} from "./stored_objects.ts";

/** How the Secrets of a set are kept for a reboot; without one they are not. */
export interface SecretChoice {
  readonly how: "memory" | "encrypted" | "plain";
  readonly key: SecretKeyPlace;
}

/** Why Secrets are missing from what was kept. */
export type SecretLack = NonNullable<
  Extract<Kept<unknown>, { readonly kind: "present" }>["lack"]
>;

/** What there is of a set. */
export interface OpenedContent {
  readonly content: RecordContent;
  readonly lack?: SecretLack;
  /** Why Secrets that were kept cannot be read. */
  readonly locked?: SecretLockError;
  /** Whether the record is to be written anew: it has Secrets as they are not to be kept. */
  readonly isStale: boolean;
}

/** A record as it goes to the disk. */
export interface CoveredRecord {
  readonly record: StoredContent;
  /** The one there holds what cannot be read, and is not to be written over. */
  readonly replaces?: SecretLockError | undefined;
  /** Why the Secrets are not in it, but what there was of them. */
  readonly failure?: SecretLockError;
}

/** New tokens alone are not written more often: a node has one for each pod and hour. */
export const TOKENS_LAST_MS: number = 24 * 3_600_000;

/** Puts Secrets into records as the operator wants them there, and takes them out again. */
export class KeptSecrets {
  readonly #how: SecretChoice["how"];
  readonly #lock: SecretLock;
  readonly #clock: Clock;

  constructor(
    { how, key }: SecretChoice,
    { files, clock }: {
      readonly files: Pick<RecordFiles, "read" | "write">;
      readonly clock: Clock;
    },
  ) {
    this.#how = how;
    this.#lock = new SecretLock(key, files);
    this.#clock = clock;
  }

  /**
   * What a record says, with its Secrets.
   *
   * @param inMemory those that outlived no reboot; they are the newest
   */
  async open(
    key: string,
    { sealed, ...record }: FoundContent,
    inMemory: readonly LocalObject[],
  ): Promise<OpenedContent> {
    const held = await this.#open({ path: key, ...defined({ sealed }) });
    const isPlain = record.objects.some(isSecret);
    const found = held.secrets.map(restoreObject);
    const objects = new Map(
      [...record.objects, ...found, ...inMemory].flatMap((object) =>
        object === undefined ? [] : [[formatObjectId(objectId(object)), object]]
      ),
    );
    const isAsWished = this.#how === "memory"
      ? !isPlain && sealed === undefined
      : (this.#how === "plain" ? sealed === undefined : !isPlain);
    const { locked } = held;
    return {
      content: { ...record, objects: [...objects.values()] },
      // What cannot be read now can be later, unless nothing is to be there.
      isStale: !isAsWished && (locked === undefined || this.#how === "memory"),
      ...this.#lack(locked),
    };
  }

  /**
   * A record with its Secrets.
   *
   * @param held what is there now
   */
  async cover(
    rest: StoredContent,
    secrets: readonly StoredObject[],
    held: StoredContent | undefined,
  ): Promise<CoveredRecord> {
    if (this.#how === "memory") return { record: rest };
    const before = await this.#open(held ?? { path: rest.path });
    if (held !== undefined && this.#isFresh(secrets, before.secrets, held)) {
      const { sealed, secretsAtMs } = held;
      const record = this.#how === "plain"
        ? withPlain(rest, { secrets: before.secrets, secretsAtMs })
        : { ...rest, ...defined({ sealed, secretsAtMs }) };
      // What has to be written for another reason takes the newest tokens along.
      if (stableJson(record) === stableJson(held)) return { record };
    }
    const replaces = before.locked;
    if (secrets.length === 0) return { record: rest, replaces };
    const secretsAtMs = this.#clock.now();
    if (this.#how === "plain") {
      return { record: withPlain(rest, { secrets, secretsAtMs }), replaces };
    }
    try {
      const sealed = await this.#lock.seal(rest.path, stableJson(secrets));
      return { record: { ...rest, sealed, secretsAtMs }, replaces };
    } catch (error) {
      if (!(error instanceof SecretLockError)) throw error;
      // Those that are there are old, and better than none.
      const { sealed, secretsAtMs: sealedAtMs } = held ?? {};
      const kept = sealed === undefined
        ? {}
        : defined({ sealed, secretsAtMs: sealedAtMs });
      return { record: { ...rest, ...kept }, failure: error };
    }
  }

  /** The Secrets of a record. */
  async #open(
    { path, objects = [], sealed }: Partial<StoredContent> & {
      readonly path: string;
    },
  ): Promise<{
    readonly secrets: readonly StoredObject[];
    readonly locked?: SecretLockError;
  }> {
    const plain = objects.filter(isSecret);
    if (sealed === undefined) return { secrets: plain };
    try {
      const text = await this.#lock.open(path, sealed);
      return { secrets: storedSecrets(text) };
    } catch (error) {
      if (!(error instanceof SecretLockError)) throw error;
      return { secrets: plain, locked: error };
    }
  }

  /** Whether what is there of the Secrets does until something else changes. */
  #isFresh(
    secrets: readonly StoredObject[],
    before: readonly StoredObject[],
    { secretsAtMs }: StoredContent,
  ): boolean {
    if (textOf(before) === textOf(secrets)) return true;
    const ageMs = this.#clock.now() - (secretsAtMs ?? -Infinity);
    return ageMs >= 0 && ageMs < TOKENS_LAST_MS &&
      textOf(before.map(withoutToken)) === textOf(secrets.map(withoutToken));
  }

  #lack(
    locked: SecretLockError | undefined,
  ): Pick<OpenedContent, "lack" | "locked"> {
    if (this.#how === "memory") {
      return { lack: { words: NOT_KEPT, isLasting: true } };
    }
    if (locked === undefined) return {};
    const { message: words } = locked;
    return { locked, lack: { words, isLasting: false } };
  }
}

/** What an operator can do about it, as a part of a sentence. */
const NOT_KEPT =
  "Secrets are not kept over a reboot (--keep-secrets=encrypted would)";

function isSecret({ kind }: { readonly kind: LocalObject["kind"] }): boolean {
  return kind === "Secret";
}

/** What was encrypted here; nothing of what another version wrote in another way. */
function storedSecrets(text: string): readonly StoredObject[] {
  try {
    const opened: unknown = JSON.parse(text);
    return Array.isArray(opened) && opened.every(isStoredObject) ? opened : [];
  } catch {
    return [];
  }
}

/** A text that is the same for the same objects, in whatever order. */
function textOf(objects: readonly object[]): string {
  return stableJson(objects.map((object) => stableJson(object)).sort());
}

function withoutToken(object: StoredObject): object {
  return object.kind === "Secret" && isTokenName(object.name)
    ? { ...object, entries: [] }
    : object;
}

function withPlain(
  rest: StoredContent,
  { secrets, secretsAtMs }: {
    readonly secrets: readonly StoredObject[];
    readonly secretsAtMs: number | undefined;
  },
): StoredContent {
  const objects = [...rest.objects ?? [], ...secrets];
  if (objects.length === 0) return rest;
  return { ...rest, objects, ...defined({ secretsAtMs }) };
}
