/**
 * The last good pods of manifests, kept on disk.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { fnv1a128Hex, type Pod, stableJson } from "../api/mod.ts";
import type {
  Clock,
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../base/mod.ts";
import {
  ensureDirectory,
  fileErrorKind,
  readFileBounded,
  writeFileAtomic,
} from "../host/mod.ts";
import type { LastGood, LastGoodStore } from "./ports.ts";

/** What {@linkcode DiskLastGoodStore} is built on. */
export interface DiskLastGoodStoreDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/**
 * Keeps one file with a checksum for each manifest, written atomically and only
 * when the pods in it change.
 *
 * A record that is not sound is set aside as `<name>.corrupt-<number>` and never
 * applied. On a disk that refuses, the newest records wait in memory until it
 * takes them; that is logged once.
 */
export class DiskLastGoodStore implements LastGoodStore {
  readonly #directory: string;
  readonly #deps: DiskLastGoodStoreDeps;
  readonly #failing: Gauge;
  readonly #corrupt: Counter;
  /** By path of the manifest; the newest wish replaces one not yet fulfilled. */
  readonly #wishes = new Map<string, Wish>();
  #retained: ReadonlySet<string> | undefined;
  #wake: () => void = () => {};
  #isFailing = false;

  /** @param directory Is made when the first record is written. */
  constructor(directory: string, deps: DiskLastGoodStoreDeps) {
    this.#directory = directory;
    this.#deps = deps;
    this.#failing = deps.metrics.gauge(
      "skerry_manifest_checkpoint_failing",
      "1 while last good manifests cannot be written to disk.",
    );
    this.#corrupt = deps.metrics.counter(
      "skerry_manifest_checkpoint_corrupt_total",
      "Records of last good manifests that were set aside as corrupt.",
    );
  }

  /** Reads the record of a manifest, if there is a sound one. Never rejects. */
  async load(path: string): Promise<LastGood | undefined> {
    const wish = this.#wishes.get(path);
    if (wish !== undefined) {
      return wish.kind === "save" ? wish.record : undefined;
    }
    const file = this.#fileOf(path);
    try {
      const text = await this.#read(file);
      if (text === undefined) return undefined;
      const sealed = unseal(text);
      if (sealed?.record.path === path) return sealed.record;
      await this.#setAside(file);
    } catch (error) {
      this.#deps.log.warn("checkpoint_unreadable", { file, error });
    }
    return undefined;
  }

  /** Has the record written soon. */
  save(record: LastGood): void {
    this.#wish(record.path, { kind: "save", record });
  }

  /** Has the record of a manifest removed soon. */
  forget(path: string): void {
    this.#wish(path, { kind: "forget" });
  }

  /** Has every record removed soon that belongs to none of these manifests. */
  retain(paths: ReadonlySet<string>): void {
    this.#retained = paths;
    this.#wake();
  }

  /** Fulfils what was asked for, one thing at a time, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#wishes.size === 0 && this.#retained === undefined) {
        await this.#untilWoken(signal);
        continue;
      }
      const isDone = await this.#fulfilNext();
      if (!isDone) await this.#deps.clock.sleep(RETRY_MS, signal);
    }
  }

  #wish(path: string, wish: Wish): void {
    this.#wishes.set(path, wish);
    this.#wake();
  }

  async #fulfilNext(): Promise<boolean> {
    const [next] = this.#wishes;
    try {
      if (next === undefined) await this.#sweep();
      else {
        const [path, wish] = next;
        await this.#fulfil(path, wish);
        // A newer wish may have come in the meantime.
        if (this.#wishes.get(path) === wish) this.#wishes.delete(path);
      }
      this.#tellHealth(undefined);
      return true;
    } catch (error) {
      this.#tellHealth(error);
      return false;
    }
  }

  async #fulfil(path: string, wish: Wish): Promise<void> {
    const file = this.#fileOf(path);
    if (wish.kind === "forget") {
      await removeFile(file);
      return;
    }
    const { text, sha256 } = seal(wish.record);
    if (await this.#holds(file, sha256)) return;
    await ensureDirectory(this.#directory, 0o700);
    await writeFileAtomic(file, new TextEncoder().encode(text), {
      mode: 0o600,
    });
  }

  async #holds(file: string, sha256: string): Promise<boolean> {
    const text = await this.#read(file);
    return text !== undefined && unseal(text)?.sha256 === sha256;
  }

  /** Also takes away what a crash in the middle of a write left behind. */
  async #sweep(): Promise<void> {
    const paths = this.#retained;
    if (paths === undefined) return;
    const kept = new Set([...paths].map((path) => nameOf(path)));
    for (const name of await listNames(this.#directory)) {
      const isStale = name.endsWith(".tmp") ||
        (name.endsWith(SUFFIX) && !kept.has(name));
      if (isStale) await removeFile(join(this.#directory, name));
    }
    if (this.#retained === paths) this.#retained = undefined;
  }

  async #read(file: string): Promise<string | undefined> {
    const found = await readFileBounded(file, MAX_RECORD_BYTES);
    // What is no file or too large is no record either, and as corrupt.
    if (found.kind === "missing") return undefined;
    return found.kind === "read" ? new TextDecoder().decode(found.bytes) : "";
  }

  async #setAside(file: string): Promise<void> {
    for (let number = 1; number <= MAX_SET_ASIDE; number++) {
      const aside = `${file}.corrupt-${number}`;
      // The last number is used again and again, so that they cannot pile up.
      if (number < MAX_SET_ASIDE && await exists(aside)) continue;
      await Deno.rename(file, aside);
      this.#corrupt.inc();
      this.#deps.log.error("checkpoint_corrupt", { file, movedTo: aside });
      return;
    }
  }

  #tellHealth(error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#failing.set(isFailing ? 1 : 0);
    if (isFailing) this.#deps.log.error("checkpoint_write_failed", { error });
    else this.#deps.log.info("checkpoint_write_recovered");
  }

  #fileOf(path: string): string {
    return join(this.#directory, nameOf(path));
  }

  #untilWoken(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      signal.removeEventListener("abort", wake);
      resolve();
    };
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    return promise;
  }
}

type Wish =
  | { readonly kind: "save"; readonly record: LastGood }
  | { readonly kind: "forget" };

interface Sealed {
  readonly sha256: string;
  readonly record: LastGood;
}

const SUFFIX = ".json";

// Often enough to be saved soon after the disk is well, rarely enough for one
// that will never be.
const RETRY_MS = 20_000;

const MAX_SET_ASIDE = 9;

// A manifest of the largest size grows by its defaults, but not without bounds.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

function nameOf(path: string): string {
  return `${fnv1a128Hex(path)}${SUFFIX}`;
}

function seal(
  record: LastGood,
): { readonly text: string; readonly sha256: string } {
  const body = stableJson(record);
  const sha256 = checksum(body);
  return {
    sha256,
    text: `{"version":1,"sha256":"${sha256}","record":${body}}\n`,
  };
}

/** Opens a record; `undefined` when it is not exactly what was sealed. */
function unseal(text: string): Sealed | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Cut short or overwritten: not sound, which is all the caller asks.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (!("version" in value && value.version === 1)) return undefined;
  if (!("record" in value && "sha256" in value)) return undefined;
  const { record, sha256 } = value;
  if (typeof sha256 !== "string" || !isRecord(record)) return undefined;
  return checksum(stableJson(record)) === sha256
    ? { sha256, record }
    : undefined;
}

function isRecord(value: unknown): value is LastGood {
  // The checksum vouches for the pods: only this class writes one that fits.
  return typeof value === "object" && value !== null && "path" in value &&
    typeof value.path === "string" && "pods" in value &&
    isPods(value.pods);
}

function isPods(value: unknown): value is readonly Pod[] {
  return Array.isArray(value) &&
    value.every((pod) => typeof pod === "object" && pod !== null);
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (fileErrorKind(error) !== "missing") throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return false;
    throw error;
  }
}

async function listNames(directory: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(directory)) names.push(entry.name);
  } catch (error) {
    if (fileErrorKind(error) !== "missing") throw error;
  }
  return names;
}
