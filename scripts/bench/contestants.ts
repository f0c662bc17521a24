/**
 * Skerry and the kubelet as one measurement sees them: pods are given to them, and it is
 * seen when those run.
 *
 * @module
 */

import type { Pod } from "../../mod/api/types/mod.ts";
import { LABEL_POD_NAME } from "../../mod/api/vocabulary/mod.ts";
import type { RuntimeService } from "../../mod/cri/model/mod.ts";
import type { AgentProcess } from "../lib/agent_process.ts";
import { find, runningContainers } from "../lib/pod_views.ts";
import { PATIENCE_MS, waitUntil } from "../lib/wait_until.ts";
import { type Bench, containerIdOf, sleeper } from "./bench_runtime.ts";
import { KUBELET_NODE } from "./kubelet_config.ts";
import type { KubeletProcess } from "./kubelet_process.ts";

/** One agent that is measured, on the runtime of a bench. */
export interface Contestant extends AsyncDisposable {
  readonly pid: number;
  start(): Promise<void>;
  untilAnswers(): Promise<void>;
  /** Gives it the manifest of a pod with one sleeping container. */
  apply(pod: string): Promise<void>;
  /** The same as if the manifest were there for a minute. */
  applyLongAgo(pod: string): Promise<void>;
  remove(pod: string): Promise<void>;
  /** Resolves to the id of the pod's container when that runs. */
  untilRuns(pod: string): Promise<string>;
  /** Resolves to the ids of all containers when as many run, no more. */
  untilAllRun(count: number): Promise<readonly string[]>;
  /** Ends it; its pods go on. */
  terminate(): Promise<void>;
}

/** An agent of which a measurement may have one after the other. */
export interface Kind {
  readonly name: "skerry" | "kubelet";
  /** Nothing runs yet. */
  create(): Promise<Contestant>;
}

/** Skerry as it is shipped, and the kubelet if one was named. */
export function kindsOf(bench: Bench): readonly Kind[] {
  const skerry: Kind = {
    name: "skerry",
    create: async () => new Skerry(await bench.agent()),
  };
  return bench.hasKubelet ? [skerry, kubeletOf(bench)] : [skerry];
}

/** Fails at once, not after half an hour; the next ones find their certificate made. */
export async function tryKubelet(bench: Bench): Promise<void> {
  await bench.clear();
  await using kubelet = await bench.kubelet();
  kubelet.start();
  await kubelet.untilAnswers();
}

function kubeletOf(bench: Bench): Kind {
  return {
    name: "kubelet",
    create: async () => new Kubelet(await bench.kubelet(), bench.cri.runtime),
  };
}

class Skerry implements Contestant {
  readonly #agent: AgentProcess;

  constructor(agent: AgentProcess) {
    this.#agent = agent;
  }

  get pid(): number {
    return this.#agent.pid;
  }

  async start(): Promise<void> {
    await this.#agent.start();
  }

  async untilAnswers(): Promise<void> {
    await this.#agent.until("the agent answers", () => true);
  }

  async apply(pod: string): Promise<void> {
    await this.#agent.apply(`${pod}.json`, sleeper(pod));
  }

  async applyLongAgo(pod: string): Promise<void> {
    await this.#agent.applyLongAgo(`${pod}.json`, sleeper(pod));
  }

  async remove(pod: string): Promise<void> {
    await this.#agent.removeManifest(`${pod}.json`);
  }

  async untilRuns(pod: string): Promise<string> {
    const pods = await this.#agent.until(
      "running",
      (all) => runningContainers(find(all, pod)) === 1,
    );
    return containerIdOf(find(pods, pod));
  }

  async untilAllRun(count: number): Promise<readonly string[]> {
    const all = (pods: readonly Pod[]): boolean =>
      pods.length === count &&
      pods.every((pod) => runningContainers(pod) === 1);
    const pods = await this.#agent.until("all running", all, PATIENCE_MS);
    return pods.map(containerIdOf);
  }

  async terminate(): Promise<void> {
    await this.#agent.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
  }
}

/** Asking the runtime instead of the kubelet costs the kubelet nothing. */
class Kubelet implements Contestant {
  readonly #kubelet: KubeletProcess;
  readonly #runtime: RuntimeService;

  constructor(kubelet: KubeletProcess, runtime: RuntimeService) {
    this.#kubelet = kubelet;
    this.#runtime = runtime;
  }

  get pid(): number {
    return this.#kubelet.pid;
  }

  start(): Promise<void> {
    this.#kubelet.start();
    return Promise.resolve();
  }

  async untilAnswers(): Promise<void> {
    await this.#kubelet.untilAnswers();
  }

  async apply(pod: string): Promise<void> {
    await this.#kubelet.apply(`${pod}.json`, sleeper(pod));
  }

  async applyLongAgo(pod: string): Promise<void> {
    await this.#kubelet.applyLongAgo(`${pod}.json`, sleeper(pod));
  }

  async remove(pod: string): Promise<void> {
    await this.#kubelet.removeManifest(`${pod}.json`);
  }

  async untilRuns(pod: string): Promise<string> {
    const labels = { [LABEL_POD_NAME]: `${pod}-${KUBELET_NODE}` };
    const [id = ""] = await this.#running(1, labels);
    return id;
  }

  async untilAllRun(count: number): Promise<readonly string[]> {
    return await this.#running(count);
  }

  async #running(
    count: number,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    let ids: readonly string[] = [];
    await waitUntil(`${count} containers of the kubelet`, async () => {
      const found = await this.#runtime.listContainers({
        state: "running",
        labels,
      });
      ids = found.map(({ id }) => id);
      return ids.length === count;
    }, { saw: () => ids.length, everyMs: 50 });
    return ids;
  }

  async terminate(): Promise<void> {
    await this.#kubelet.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kubelet[Symbol.asyncDispose]();
  }
}
