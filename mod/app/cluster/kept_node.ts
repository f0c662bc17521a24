/**
 * What the cluster said of the node last, kept on disk for times without an API server.
 *
 * @module
 */

import { stableJson } from "../../api/objects/mod.ts";
import {
  type Clock,
  isRecord,
  nextDelay,
  WriteBehind,
} from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { isKnownNode, type KnownNode } from "../../node/mod.ts";
import {
  RecordFolder,
  type RecordFolderDeps,
} from "../../source/records/mod.ts";

/** What it works with. */
export interface KeptNodeDeps extends RecordFolderDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where a node is kept, and whose it is. */
export interface KeptNodeOptions {
  readonly directory: string;
  /** Names cluster and node: what another one said is not read. */
  readonly origin: string;
}

interface StoredNode {
  readonly path: string;
  readonly node: KnownNode;
}

/** Between attempts to read it. */
const RECALL = { baseMs: 1_000, maxMs: 60_000 };

/**
 * Keeps one record with a checksum, written atomically, and only when what is in it changes:
 * flash wears out. One that is not sound is set aside; one that the disk does not give is
 * unknown, and asked for again. A disk that refuses is tried again, with the newest.
 */
export class KeptNode {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #folder: RecordFolder<StoredNode>;
  readonly #key: string;
  readonly #writes: WriteBehind<KnownNode>;
  #current: KnownNode | undefined;
  #saved = "";

  /** Touches nothing until asked to. */
  constructor({ directory, origin }: KeptNodeOptions, deps: KeptNodeDeps) {
    this.#clock = deps.clock;
    this.#log = deps.log.named("node");
    this.#key = `node:${origin}`;
    this.#folder = new RecordFolder(directory, deps, isStoredNode);
    this.#writes = new WriteBehind({
      write: (_key, node) => this.#write(node),
      failing: (error) => this.#log.error("node_checkpoint_failed", { error }),
      recovered: () => this.#log.info("node_checkpoint_recovered"),
    }, deps.clock);
  }

  /** What an earlier agent kept, or this one; `undefined` until it is read, or if there is none. */
  get current(): KnownNode | undefined {
    return this.#current;
  }

  /** Has it kept, if it is another one than before. */
  save(node: KnownNode): void {
    const json = stableJson(node);
    if (json === this.#saved) return;
    this.#saved = json;
    this.#current = node;
    this.#writes.put(this.#key, node);
  }

  /**
   * Reads what is there, then writes until `signal` aborts.
   *
   * @param found is told when something was read
   */
  async run(found: () => void, signal: AbortSignal): Promise<void> {
    const reading = this.#recall(found, signal);
    await this.#writes.run(signal);
    await reading;
  }

  async #recall(found: () => void, signal: AbortSignal): Promise<void> {
    let delayMs: number | undefined;
    // What was said meanwhile is newer.
    while (!signal.aborted && this.#current === undefined) {
      const isRead = await this.#read();
      if (isRead && this.#current !== undefined) found();
      if (isRead) return;
      delayMs = nextDelay(delayMs, RECALL);
      await this.#clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  /** @returns whether it is known now what the disk has */
  async #read(): Promise<boolean> {
    const file = this.#folder.fileOf(this.#key);
    try {
      const read = await this.#folder.read(this.#key);
      if (read.kind === "sound") this.#current ??= read.record.node;
      if (read.kind === "corrupt") await this.#setAside();
      return true;
    } catch (error) {
      this.#log.warn("checkpoint_unreadable", { file, error });
      return false;
    }
  }

  async #write(node: KnownNode): Promise<void> {
    // A bad block is healed by writing; if the disk is to blame it refuses that as well.
    const found = await this.#folder.read(this.#key).catch(() => undefined);
    if (found?.kind === "corrupt") await this.#setAside();
    const held = found?.kind === "sound" ? found.sha256 : undefined;
    await this.#folder.write({ path: this.#key, node }, { held });
  }

  async #setAside(): Promise<void> {
    const movedTo = await this.#folder.setAside(this.#key);
    this.#log.error("checkpoint_corrupt", { movedTo });
  }
}

function isStoredNode(value: unknown): value is StoredNode {
  return isRecord(value) && typeof value["path"] === "string" &&
    isKnownNode(value["node"]);
}
