/**
 * What agents make of their node at a scripted API server, on a clock that stands still.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { Lease, Node } from "../../../mod/api/cluster/mod.ts";
import { parseQuantity } from "../../../mod/api/objects/mod.ts";
import { ClusterNode } from "../../../mod/app/cluster/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import {
  type ApiCaller,
  KubeTransport,
} from "../../../mod/kube/transport/mod.ts";
import { coreConfig } from "../agent/core_config.ts";
import { EventList } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";
import { fieldsTo } from "../log_lines.ts";
import { EventLoop } from "../quiet/event_loop.ts";
import { seededRandom } from "../seeded_random.ts";
import { FakeRecords } from "../source/fake_records.ts";
import { TempDir } from "../temp_dir.ts";
import { type ApiPath, parseApiPath } from "./api_path.ts";
import type { MemoryObjects } from "./memory_objects.ts";
import { ScriptedApi } from "./scripted_api.ts";

/** Where the node and its lease are. */
export const NODE_PATH = "/api/v1/nodes/edge1";
export const LEASE_PATH =
  "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/edge1";

/** One agent, with a way to the server of its own. */
export interface NodeAgent extends AsyncDisposable {
  readonly node: ClusterNode;
  /** What it said. */
  readonly messages: Record<string, unknown>[];
  /** Its server, which has the same objects as those of others. */
  readonly api: ScriptedApi;
  /** How often it was said that the node may be another one. */
  readonly told: number;
  /** What it looks like. */
  notReady: readonly string[];
  /** From now on nothing comes through between it and its server. */
  freeze(): void;
  thaw(): void;
  /** What was changed by it since the last time, as `PATCH node`. */
  writes(): readonly string[];
}

/** Agents of one node name, and what the cluster has of the node. */
export class ClusterNodesRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  /** How many requests the servers hold back. */
  held: number = 0;
  /** How many calls of agents wait that are not frozen. */
  #waiting = 0;
  readonly #stack = new AsyncDisposableStack();
  readonly #servers: ScriptedApi[] = [];
  #objects: MemoryObjects | undefined;
  #loop: EventLoop | undefined;

  /** Starts an agent; each name has a root directory of its own. */
  async start(
    agentId: string,
    { ownLabels = {}, files = new FakeRecords(), isAway = false }: {
      readonly ownLabels?: Readonly<Record<string, string>>;
      /** What it keeps. @default another disk */
      readonly files?: FakeRecords;
      /** Whether its server is frozen from the begin. */
      readonly isAway?: boolean;
    } = {},
  ): Promise<NodeAgent> {
    const stack = this.#stack.use(new AsyncDisposableStack());
    const api = await this.#serve(stack);
    if (isAway) api.freeze();
    const state: AgentState = { isFrozen: isAway, told: 0, notReady: [] };
    const messages: Record<string, unknown>[] = [];
    const { clock } = this;
    const metrics = new MetricsRegistry();
    const given = {
      ...{ clock, metrics, random: seededRandom(1), log: fieldsTo(messages) },
    };
    const { config, path } = await settings(stack, api);
    const source = new KubeconfigFile(path, Deno.readTextFile);
    const transport = stack.use(
      new KubeTransport({ ...given, source }, { userAgent: agentId }),
    );
    const node = new ClusterNode(config, config.cluster, {
      ...{ ...PARTS, ...given, agentId, files },
      transport: this.#counted(transport, () => state.isFrozen),
      ownLabels: { "kubernetes.io/hostname": "edge1", ...ownLabels },
      events: new EventList(),
      picture: { listedMs: 1 },
      watch: { health: () => healthOf(state), whenOutageChanges: () => {} },
    });
    const stop = new AbortController();
    const running = node.run({
      changed: () => state.told++,
      ownershipChanged: () => {},
    }, stop.signal);
    stack.defer(async () => {
      stop.abort();
      await running;
    });
    return agentOf({ api, node, messages, state, stack });
  }

  /** A server of its own, with the objects of all. */
  async #serve(stack: AsyncDisposableStack): Promise<ScriptedApi> {
    const objects = this.#objects;
    const options = objects === undefined ? {} : { objects };
    const api = stack.use(await ScriptedApi.start(options));
    this.#objects = api.objects;
    this.#servers.push(api);
    return api;
  }

  /** The node as the cluster has it. */
  get node(): Node | undefined {
    const node = this.#get(NODE_PATH);
    return isNode(node) ? node : undefined;
  }

  /** Its lease as the cluster has it. */
  get lease(): Lease | undefined {
    const lease = this.#get(LEASE_PATH);
    return isLease(lease) ? lease : undefined;
  }

  /** How old the sign of life is, by the clock of the test. */
  get leaseAgeMs(): number {
    return this.clock.now() - Date.parse(this.lease?.spec.renewTime ?? "");
  }

  /** Somebody else changes the node. */
  patch(change: (node: Record<string, unknown>) => unknown): void {
    this.#objects?.patch(
      { ...pathOf(NODE_PATH), subresource: "status" },
      (object) => change(isRecord(object) ? { ...object } : {}),
    );
    this.#objects?.patch(
      pathOf(NODE_PATH),
      (object) => change(isRecord(object) ? { ...object } : {}),
    );
  }

  /** Somebody deletes the node, or what else there is of it. */
  delete(path: string = NODE_PATH): void {
    this.#objects?.delete(pathOf(path), {});
  }

  /** Lets time pass by seconds, with what it sets off on the wire, and looks after each. */
  async pass(seconds: number, look: () => void = () => {}): Promise<void> {
    for (let half = 1; half <= 2 * seconds; half++) {
      await this.clock.advance(500);
      await this.rest();
      if (half % 2 === 0) look();
    }
  }

  /** Lets time pass until it holds, two minutes at most. */
  async until(holds: () => boolean): Promise<void> {
    for (let second = 0; second < 120 && !holds(); second++) await this.pass(1);
    ok(holds(), `${holds}`);
  }

  /** Lets what is on the wire arrive: all ends of it are in this process, and take turns. */
  async rest(): Promise<void> {
    const loop = this.#loop ??= await this.#open();
    let before = "";
    let still = 0;
    for (let turn = 0; still < STILL_TURNS; turn++) {
      await loop.turn();
      ok(turn < MOST_TURNS, "what is on the wire never arrives");
      // Some work of a connection is another thread's.
      if (this.#waiting > this.held) still = 0;
      const requests = this.#servers.map(({ requests }) => requests.length);
      const { moves } = this.clock;
      const now = [moves, this.#objects?.version, ...requests].join();
      still = now === before ? still + 1 : 0;
      before = now;
    }
  }

  #counted(api: ApiCaller, isFrozen: () => boolean): ApiCaller {
    return {
      call: async (request, signal) => {
        // What comes through later belongs to no turn.
        const counts = !isFrozen();
        if (counts) this.#waiting++;
        try {
          return await api.call(request, signal);
        } finally {
          if (counts) this.#waiting--;
        }
      },
      stream: (request, signal) => api.stream(request, signal),
    };
  }

  async #open(): Promise<EventLoop> {
    const { path } = this.#stack.use(await TempDir.make());
    return this.#stack.use(await EventLoop.open(`${path}/turns.sock`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #get(path: string): unknown {
    return this.#objects?.list(pathOf(path.replace(/\/[^/]*$/, ""))).at(0);
  }
}

interface AgentState {
  isFrozen: boolean;
  told: number;
  notReady: readonly string[];
}

function healthOf(
  { notReady: [first] }: AgentState,
): { readonly healthy: boolean; readonly message: string } {
  return { healthy: first === undefined, message: first ?? "" };
}

async function settings(stack: AsyncDisposableStack, api: ScriptedApi) {
  const root = stack.use(await TempDir.make()).path;
  const path = `${root}/node.kubeconfig`;
  await Deno.writeTextFile(path, await api.nodeKubeconfig("edge1"));
  const config = await coreConfig(root, { flags: [`--kubeconfig=${path}`] });
  ok(config.cluster !== undefined);
  // Agents of one disk keep the node in one place.
  const cluster = { ...config.cluster, kubeconfig: "/node.kubeconfig" };
  const paths = { ...config.paths, rootDir: "/root" };
  return { path, config: { ...config, cluster, paths } };
}

function agentOf(
  { api, node, messages, state, stack }:
    & Pick<NodeAgent, "api" | "messages" | "node">
    & { readonly state: AgentState; readonly stack: AsyncDisposableStack },
): NodeAgent {
  let seen = 0;
  return {
    ...{ node, messages, api },
    get told() {
      return state.told;
    },
    get notReady() {
      return state.notReady;
    },
    set notReady(reasons) {
      state.notReady = reasons;
      node.wake();
    },
    freeze: () => {
      state.isFrozen = true;
      api.freeze();
    },
    thaw: () => {
      state.isFrozen = false;
      api.thaw();
    },
    writes: () => {
      const requests = api.requests.slice(seen);
      seen = api.requests.length;
      return requests.filter(({ method }) => method !== "GET")
        .map(({ method, path }) =>
          `${method} ${path.includes("leases") ? "lease" : "node"}`
        );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A request and its answer take a hundred, those that open a connection some more. */
const STILL_TURNS = 200;

/** Some seconds of nothing else. */
const MOST_TURNS = 1_000_000;

const AMOUNTS = new Map([
  ["cpu", parseQuantity("4")],
  ["memory", parseQuantity("4Gi")],
  ["pods", parseQuantity("110")],
]);

const PARTS = {
  capacity: AMOUNTS,
  allocatable: AMOUNTS,
  isGoingDown: () => false,
  pressures: () => [],
  ips: { current: [] },
  removals: { whenChanged: () => {} },
  machine: {
    machineID: "m1",
    bootID: "b1",
    kernelVersion: "6.1.0",
    osImage: "Debian",
    architecture: "amd64",
  },
  connection: {
    features: () => undefined,
    images: { listImages: () => Promise.resolve([]) },
    runtime: {
      status: () =>
        Promise.resolve({
          conditions: [],
          handlers: [],
          supplementalGroupsPolicy: false,
          info: new Map(),
        }),
    },
  },
} as const;

function pathOf(text: string): ApiPath {
  const path = parseApiPath(text);
  ok(path !== undefined, text);
  return path;
}

function isNode(value: unknown): value is Node {
  return isRecord(value) && value["kind"] === "Node";
}

function isLease(value: unknown): value is Lease {
  return isRecord(value) && value["kind"] === "Lease";
}
