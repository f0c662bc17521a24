/**
 * A node's reporter and the server that it reports to.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { Node } from "../../../mod/api/cluster/mod.ts";
import {
  type NodeIdentity,
  type NodePicture,
  NodeReporter,
  type NodeReporterOptions,
  type NodeStanding,
} from "../../../mod/node/mod.ts";
import { newNode } from "../../../mod/node/node_object.ts";
import { EventList } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";
import { linesTo } from "../log_lines.ts";
import { until } from "../until.ts";
import { NodeServer, picture } from "./node_rig.ts";

/** What the node is called. */
export const IDENTITY: NodeIdentity = {
  name: "kiosk-1",
  labels: { site: "north" },
  ownLabels: { "kubernetes.io/os": "linux" },
  taints: [],
};

const OPTIONS: NodeReporterOptions = {
  identity: IDENTITY,
  register: true,
  updateMs: 10_000,
  reportMs: 300_000,
  maxImages: 50,
};

/** The node as somebody made it before. */
export function known(identity: NodeIdentity = IDENTITY): Node {
  const node = newNode(identity, picture(), { nowMs: 0, maxImages: 50 });
  return {
    ...node,
    metadata: { ...node.metadata, namespace: "", uid: "u1" },
  };
}

/** A reporter that works, on a clock that stands still. */
export class ReporterRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly server: NodeServer = new NodeServer();
  readonly events: EventList = new EventList();
  readonly log: string[] = [];
  readonly reporter: NodeReporter;
  /** What the node looks like, or why it cannot be looked at. */
  now: NodePicture | Error = picture();
  /** Whether a watch shows the node. */
  isShown: boolean = true;
  /** How long a look at the node takes. */
  delay: Promise<void> = Promise.resolve();
  /** What is drawn. */
  random: number = 0.5;
  /** What the agent is to the node. */
  standing: NodeStanding = "ours";
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ options = {}, prepare }: {
    readonly options?: Partial<NodeReporterOptions>;
    readonly prepare?: (rig: NodeServer) => void;
  } = {}) {
    prepare?.(this.server);
    this.reporter = new NodeReporter({
      clock: this.clock,
      random: { next: () => this.random },
      log: linesTo(this.log),
      events: this.events,
      client: this.server.nodes,
      standing: () => this.standing,
      current: () => this.isShown ? this.server.node : undefined,
      picture: async () => {
        await this.delay;
        if (this.now instanceof Error) throw this.now;
        return this.now;
      },
    }, { ...OPTIONS, ...options });
    this.#running = this.reporter.run(this.#stop.signal);
  }

  /** Lets the reporter work until it sleeps. */
  async rest(): Promise<string[]> {
    // What it was woken for it begins first.
    await this.clock.advance(0);
    await until(() => this.clock.pendingTimers === 1, "the reporter sleeps");
    return this.server.takeVerbs();
  }

  /** Lets time pass, and the reporter work. */
  async pass(ms: number): Promise<string[]> {
    await this.clock.advance(ms);
    return await this.rest();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}
