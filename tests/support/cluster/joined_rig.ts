/**
 * An agent in its sandbox that is a node of a real cluster, on a real runtime.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import {
  BUSYBOX_IMAGE,
  ContainerdRig,
} from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "./cluster.ts";

/** An agent, its runtime, and the cluster that it is a node of. */
export class JoinedRig implements AsyncDisposable {
  readonly agent: AgentProcess;
  readonly cluster: Cluster;
  readonly runtime: ContainerdRig;
  readonly nodeName: string;

  private constructor(
    parts: {
      readonly runtime: ContainerdRig;
      readonly agent: AgentProcess;
      readonly cluster: Cluster;
      readonly nodeName: string;
    },
  ) {
    this.runtime = parts.runtime;
    this.nodeName = parts.nodeName;
    this.agent = parts.agent;
    this.cluster = parts.cluster;
  }

  /**
   * Starts a runtime, and an agent in its sandbox that has joined the cluster.
   *
   * @param options.config documents of its configuration file
   */
  static async start(
    cluster: Cluster,
    nodeName: string,
    options: {
      readonly args?: readonly string[];
      readonly config?: string;
    } = {},
  ): Promise<JoinedRig> {
    const runtime = await ContainerdRig.start();
    const kubeconfig = await cluster.nodeKubeconfig(nodeName);
    const config = `${cluster.directory}/${nodeName}.config.yaml`;
    if (options.config !== undefined) {
      await Deno.writeTextFile(config, options.config);
    }
    const agent = await AgentProcess.start({
      runtimeSocket: runtime.socketPath,
      podNetwork: runtime.podNetwork,
      nodeName,
      args: [
        `--kubeconfig=${kubeconfig}`,
        ...(options.config === undefined ? [] : [`--config=${config}`]),
        ...options.args ?? [],
      ],
    });
    return new JoinedRig({ runtime, agent, cluster, nodeName });
  }

  /** Ends the machine as a power cut does; what is in memory is gone. */
  async powerOff(): Promise<void> {
    await this.agent.kill();
    await this.runtime.powerOff();
    for await (const { name } of Deno.readDir(this.agent.runDir)) {
      await Deno.remove(`${this.agent.runDir}/${name}`, { recursive: true });
    }
  }

  /** Starts the machine again: its runtime, and the agent. */
  async powerOn(): Promise<void> {
    await this.runtime.startRuntime();
    await this.agent.start();
    await waitUntil(
      "an agent that answers",
      async () => await this.agent.pods() !== undefined,
      { saw: () => this.agent.logTail() },
    );
  }

  /** Waits until the API server has the node Ready. */
  async untilReady(): Promise<void> {
    await this.until(
      "a node that is ready",
      ["get", "nodes", this.nodeName, "--no-headers"],
      (text) => /^\S+\s+Ready[\s,]/.test(text),
    );
  }

  /** Waits until kubectl says something. */
  async until(
    what: string,
    args: readonly string[],
    holds: (text: string) => boolean,
  ): Promise<string> {
    let seen = "";
    await waitUntil(what, async () => {
      seen = (await this.cluster.kubectl([...args])).text;
      return holds(seen);
    }, { saw: () => seen });
    return seen;
  }

  /** Makes an object, or changes it, as `kubectl apply` does. */
  /** Runs kubectl, which must succeed. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { ok: isDone, text } = await this.cluster.kubectl(args);
    ok(isDone, text);
    return text;
  }

  async create(object: unknown): Promise<void> {
    const path = `${this.agent.directory}/object.json`;
    await Deno.writeTextFile(path, JSON.stringify(object));
    const { ok: isDone, text } = await this.cluster.kubectl([
      "apply",
      "-f",
      path,
    ]);
    ok(isDone, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]();
    await this.runtime.removeAllPods();
    await this.runtime[Symbol.asyncDispose]();
  }
}

/** A container `main` that runs a command of the shell. */
export function joinedContainer(
  command: string,
  rest: object = {},
): Readonly<Record<string, unknown>> {
  return {
    name: "main",
    image: BUSYBOX_IMAGE,
    command: ["sh", "-c", command],
    ...rest,
  };
}

/** How kubectl is asked for a node, for {@linkcode isNodeReady}. */
export function lookAtNode(name: string): readonly string[] {
  return ["get", "nodes", name, "--no-headers"];
}

/** Whether kubectl says that a node is ready. */
export function isNodeReady(text: string): boolean {
  return /^\S+\s+Ready\s/.test(text);
}
