/**
 * The files of the node that every pod gets something of.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import { parseResolvConf, type ResolverConfig } from "../runtime/spec/mod.ts";

/** Upstream reads at most this much of a resolver file. */
const NODE_FILE_LIMIT_BYTES = 10 << 20;

/** How old a reading may be for a pod that starts. */
const REFRESH_PERIOD_MS = 1_000;

/**
 * The node's resolver and hosts files, as last read.
 *
 * An agent often starts before the network knows its resolvers, so what was read at
 * the start does not hold for ever: each new sandbox reads again.
 */
export class NodeFiles {
  readonly #resolvConf: string | undefined;
  #resolver: ResolverConfig | undefined;
  #hosts = "";
  readonly #clock: Clock;
  #readMs = -Infinity;
  #reading: Promise<void> = Promise.resolve();

  /** @param resolvConf The resolver's file; `undefined` when pods get none of it. */
  constructor(resolvConf: string | undefined, deps: { clock: Clock }) {
    this.#resolvConf = resolvConf;
    this.#clock = deps.clock;
  }

  get resolver(): ResolverConfig | undefined {
    return this.#resolver;
  }

  get hosts(): string {
    return this.#hosts;
  }

  /**
   * Reads both; a file that is not there counts as empty. Pods that start together
   * share one reading.
   */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#readMs < REFRESH_PERIOD_MS) return await this.#reading;
    this.#readMs = nowMs;
    this.#reading = this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const path = this.#resolvConf;
    const [resolver, hosts] = await Promise.all([
      path === undefined ? undefined : readText(path),
      readText("/etc/hosts"),
    ]);
    this.#resolver = resolver === undefined
      ? undefined
      : parseResolvConf(resolver);
    this.#hosts = hosts;
  }
}

async function readText(path: string): Promise<string> {
  const read = await readFileBounded(path, NODE_FILE_LIMIT_BYTES);
  return read.kind === "read" ? new TextDecoder().decode(read.bytes) : "";
}
