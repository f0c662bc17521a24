/**
 * References of pods, over servers that a test fills.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { ClaimObject } from "../../../mod/api/objects/mod.ts";
import { readClusterObject } from "../../../mod/api/read/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import {
  type Answers,
  ReferencedObjects,
  type WatchedObjectKind,
} from "../../../mod/source/api/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { ObjectServer } from "../informer/object_server.ts";
import { messagesTo } from "../log_lines.ts";
import { pod } from "../pods.ts";
import { seededRandom } from "../seeded_random.ts";

/** References to servers of one object each, which a test fills and has refuse. */
export class ReferencesRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  /** By name: a watch is for one object. */
  readonly servers: Map<string, ObjectServer<ApiObject>> = new Map();
  /** What was opened, as `ConfigMap shop/name`. */
  readonly opened: string[] = [];
  /** The same for Services. */
  readonly services: string[] = [];
  readonly tokens: string[] = [];
  /** The claims that are asked for. */
  readonly claims: Map<string, Answers<ClaimObject | undefined>> = new Map();
  /** The tokens that are asked for, by their account. */
  readonly accounts: Map<string, Answers<Uint8Array>> = new Map();
  /** What the server says instead of a list, by the name of the object. */
  readonly failing: Map<string, Error> = new Map();
  /** The messages of the log. */
  readonly said: string[] = [];
  tells = 0;
  reads = 0;
  readonly references: ReferencedObjects;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor() {
    this.references = new ReferencedObjects({
      clock: this.clock,
      random: seededRandom(1),
      log: messagesTo(this.said),
      metrics: new MetricsRegistry(),
      source: (kind: WatchedObjectKind) => ({
        list: (options, signal) => {
          const { fieldSelector = "", namespace = "" } = options;
          const name = fieldSelector.replace("metadata.name=", "");
          const opened = `${kind} ${namespace}/${name}`;
          (kind === "Service" ? this.services : this.opened).push(opened);
          const failure = this.failing.get(name);
          return failure === undefined
            ? this.server(name).list({}, signal)
            : Promise.reject(failure);
        },
        watch: ({ fieldSelector = "", resourceVersion = "" }, signal) => {
          const name = fieldSelector.replace("metadata.name=", "");
          const failure = this.failing.get(name);
          return failure === undefined
            ? this.server(name).watch({ resourceVersion }, signal)
            : Promise.reject(failure);
        },
      }),
      read: (kind, object) => {
        this.reads++;
        const reading = readClusterObject(kind, object);
        return reading.kind === "read" ? reading.value : undefined;
      },
      tokens: {
        keep: async ({ serviceAccount, audience }, answers, signal) => {
          this.tokens.push(`${serviceAccount} ${audience}`);
          this.accounts.set(serviceAccount, answers);
          if (!this.failing.has(serviceAccount)) {
            answers.took(new TextEncoder().encode("ey"));
          }
          await aborted(signal);
          this.tokens.push("ended");
        },
      },
      claims: {
        keep: async ({ namespace, name }, answers, signal) => {
          const key = `${namespace}/${name}`;
          this.opened.push(`claim ${key}`);
          this.claims.set(key, answers);
          await aborted(signal);
          this.opened.push(`claim ${key} ended`);
        },
      },
    });
    this.references.follow(() => void this.tells++);
  }

  server(name: string): ObjectServer<ApiObject> {
    const server = this.servers.get(name) ??
      new ObjectServer<ApiObject>({ streams: false });
    this.servers.set(name, server);
    return server;
  }

  async start(): Promise<this> {
    this.#running = this.references.run(this.#stop.signal);
    await this.clock.advance(0);
    return this;
  }

  async want(...pods: readonly Pod[]): Promise<void> {
    this.references.want(pods);
    await this.clock.advance(0);
  }

  /** What there is, as `name=value`. */
  get texts(): readonly string[] {
    return this.references.list().map((object) => {
      if (!("entries" in object)) return object.name;
      const [text] = object.entries.values();
      return `${object.name}=${new TextDecoder().decode(text)}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

/** A pod that has ConfigMaps of these names as volumes. */
export function podNaming(...names: readonly string[]): Pod {
  const volumes = names.map((name) => ({ name, configMap: { name } }));
  return pod({ volumes });
}
