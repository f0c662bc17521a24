/**
 * A source of an API server's pods, and all around it.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../mod/api/objects/mod.ts";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import type { WithheldObject } from "../../../mod/pod/inputs/mod.ts";
import { ApiPodSource } from "../../../mod/source/api/mod.ts";
import type {
  SourceContent,
  SourceSet,
} from "../../../mod/source/merge/mod.ts";
import type { Kept } from "../../../mod/source/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { messagesTo } from "../log_lines.ts";

/** What of a pod is not dull. */
interface PodParts {
  readonly uid?: string;
  readonly version?: string;
  readonly image?: string;
  readonly ends?: boolean;
  readonly status?: PodStatus;
}

/** A pod as an API server gives it. */
export function apiPod(
  name: string,
  { uid = `uid-${name}`, version = "1", image = "a", ends, status }: PodParts =
    {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid,
      resourceVersion: version,
      ...(ends && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { containers: [{ name: "c", image }] },
    ...(status !== undefined && { status }),
  };
}

/** Runs a source over a watch, a checkpoint and references that a test writes. */
export class ApiPodRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly sets: SourceSet[] = [];
  readonly saved: SourceContent[] = [];
  /** What the checkpoint has. */
  kept: Kept<SourceContent> = { kind: "absent" };
  /** The checkpoint is read when this has come to pass. */
  disk: Promise<unknown> = Promise.resolve();
  /** What the source has set to work. */
  readonly run: string[] = [];
  /** How often the checkpoint was asked. */
  loads = 0;
  /** What the server itself says when it is asked. */
  listed: readonly Pod[] | Error = [];
  lists = 0;
  isNode = true;
  /** Whether it is known which pods the node takes. */
  isNodeKnown = true;
  readonly refused: Set<string> = new Set<string>();
  /** The messages of the log. */
  readonly said: string[] = [];
  /** The pods of which was told that their tokens are empty. */
  readonly tokenless: string[] = [];
  /** What was told of pods that are refused. */
  readonly told: string[] = [];
  /** The UIDs of pods of which the agent has something. */
  readonly here: Set<string> = new Set<string>();
  /** Pods of which it is not known what they refer to. */
  readonly unknown: Set<string> = new Set<string>();
  wanted: readonly string[] = [];
  objects: readonly LocalObject[] = [];
  /** What the server refuses to say. */
  withheld: readonly WithheldObject[] = [];
  #tell: () => void = () => {};
  reads = 0;
  readonly source: ApiPodSource;
  readonly #shown = new Map<string, Pod>();
  #hasSynced = false;
  #listener: () => void = () => {};
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor() {
    const hasSynced = (): boolean => this.#hasSynced;
    this.source = new ApiPodSource({
      clock: this.clock,
      log: messagesTo(this.said),
      pods: {
        get hasSynced() {
          return hasSynced();
        },
        list: () => [...this.#shown.values()],
        follow: (listener) => {
          this.#listener = listener;
          return { [Symbol.dispose]: () => this.#listener = () => {} };
        },
      },
      list: () => this.#answer(),
      read: (each) => {
        this.reads++;
        return this.refused.has(each.metadata.name)
          ? { kind: "refused", refusal: { reason: "Bad", message: "is bad" } }
          : { kind: "read", pod: each };
      },
      refused: ({ pod, refusal }, { runsOn }) => {
        const how = runsOn ? "runs on" : "is refused";
        this.told.push(`${pod.metadata.name} ${how}: ${refusal.message}`);
      },
      withoutToken: (pods, why) => {
        this.tokenless.push(`${pods.map(nameOf)}: ${why}`);
      },
      isHere: (uid) => this.here.has(uid),
      references: {
        want: (pods) => {
          this.wanted = pods.map(({ metadata }) => metadata.name);
        },
        isKnown: ({ metadata }) => !this.unknown.has(metadata.name),
        list: () => this.objects,
        settled: () => () => this.unknown.size === 0,
        withheld: () => this.withheld,
        follow: (listener) => {
          this.#tell = listener;
          return { [Symbol.dispose]: () => this.#tell = () => {} };
        },
        run: () => this.#enter("references"),
      },
      checkpoint: {
        load: async () => {
          this.loads++;
          await this.disk;
          return this.kept;
        },
        save: (content) => void this.saved.push(content),
        failure: () => undefined,
        run: () => this.#enter("checkpoint"),
      },
      isNode: () => this.isNode,
      isNodeKnown: () => this.isNodeKnown,
    });
  }

  #answer(): Promise<readonly Pod[]> {
    this.lists++;
    return this.listed instanceof Error
      ? Promise.reject(this.listed)
      : Promise.resolve(this.listed);
  }

  #enter(part: string): Promise<void> {
    this.run.push(part);
    return Promise.resolve();
  }

  async start(): Promise<this> {
    const run = async (): Promise<void> => {
      for await (const set of this.source.run(this.#stop.signal)) {
        this.sets.push(set);
      }
    };
    this.#running = run();
    await this.clock.advance(0);
    return this;
  }

  /** The watch shows these pods from now on. */
  async show(...pods: readonly Pod[]): Promise<void> {
    this.#hasSynced = true;
    this.#shown.clear();
    for (const each of pods) this.#shown.set(each.metadata.name, each);
    this.#listener();
    await this.clock.advance(0);
  }

  /** What pods refer to is known, or another one. */
  async give(...objects: readonly LocalObject[]): Promise<void> {
    this.objects = objects;
    this.#tell();
    await this.clock.advance(0);
  }

  /** The names in the sets since the last time, with what they are. */
  take(): string[] {
    return this.sets.splice(0).map(({ op = "set", pods }) =>
      `${op}: ${pods.map(({ metadata }) => metadata.name).join(" ")}`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

function nameOf({ metadata }: Pod): string {
  return metadata.name;
}
