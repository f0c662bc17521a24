/**
 * Runs the probes of all pods and knows what they said last.
 *
 * @module
 */

import { Bell, type Clock, type Random, type Sessions } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { ContainerSpec, EventSink, Pod } from "../api/types/mod.ts";
import { isRestartableInit, servingContainers } from "../api/vocabulary/mod.ts";
import type { ProbeKind } from "../pod/probes/mod.ts";
import type { ProbeVerdict, ProbeVerdicts } from "../pod/plan/mod.ts";
import type { StatusProbes } from "../pod/status/mod.ts";
import {
  type Arrival,
  type ContainerDeps,
  ContainerProbes,
  hasProbes,
} from "./container_probes.ts";
import type {
  ProbeChange,
  ProbedPods,
  ProbeMemory,
  ProbeReport,
  ProbeRunner,
} from "./ports.ts";
import { ProbeMetrics } from "./probe_metrics.ts";

interface ProbeManagerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly pods: ProbedPods;
  readonly memory: ProbeMemory;
  readonly runner: ProbeRunner;
  /** The probes of a pod end with its session, or before. */
  readonly sessions: Sessions;
}

/** Only the manager writes it. */
interface ProbedPod extends Disposable {
  pod: Pod;
  /** By container name. */
  readonly containers: Map<string, ContainerProbes>;
  /** Whether liveness and startup are not asked any more of its app containers. */
  stopping: boolean;
}

/** What a pod on its way out is not asked any more. */
const STOPPED: ReadonlySet<ProbeKind> = new Set(["liveness", "startup"]);
const NONE: ReadonlySet<ProbeKind> = new Set();

/**
 * Probes app containers and sidecars, each probe by itself.
 *
 * Owns its workers: only calls of these methods add or remove them. Nothing here
 * waits, so that the sync loop can call it in passing. (kubelet: prober_manager.go)
 */
export class ProbeManager implements ProbeVerdicts, StatusProbes {
  readonly #pods: ProbedPods;
  readonly #log: Logger;
  readonly #deps: ContainerDeps;
  readonly #changes = new ProbeChanges();
  readonly #probed: Map<string, ProbedPod>;
  readonly #byContainerId = new Map<string, ContainerProbes>();
  /** Set when the agent ends: nothing begins any more. */
  #closed = false;

  /** Registers the metrics; asks nothing until pods are added. */
  constructor(deps: ProbeManagerDeps) {
    const { clock, random, events, pods, memory, runner } = deps;
    this.#pods = pods;
    this.#probed = deps.sessions.map();
    this.#log = deps.log.named("prober");
    this.#deps = {
      clock,
      random,
      events,
      memory,
      runner,
      metrics: new ProbeMetrics(deps.metrics),
      podIps: (pod) => {
        const observed = pods.observed(pod.metadata.uid);
        return observed === undefined ? [] : pods.podIps(pod, observed);
      },
      publish: (change) => this.#publish(change),
    };
  }

  /**
   * Probes what the newest spec of a pod asks for. Doing it again changes nothing; unlike
   * the kubelet it takes over probes that were edited.
   *
   * A container that runs when its pod is added for the first time ran before this agent
   * did, so the pod must have been looked at by then.
   */
  add(pod: Pod): void {
    if (this.#closed) return;
    const { uid } = pod.metadata;
    const known = this.#probed.get(uid);
    const arrival: Arrival = known === undefined ? "survivor" : "edited";
    const probed = known ?? this.#begin(pod);
    probed.pod = pod;
    const { containers, stopping } = probed;
    const wanted = probedContainers(pod);
    this.#drop(containers, new Set(wanted.map(({ name }) => name)));
    for (const container of wanted) {
      const probes = containers.get(container.name);
      if (probes === undefined) {
        if (stopping) continue;
        const observed = this.#pods.observed(uid);
        const options = { pod, container, observed, arrival };
        const added = new ContainerProbes(this.#deps, options);
        containers.set(container.name, added);
        this.#index(undefined, added);
      } else {
        const barred = stopping && !isRestartableInit(container);
        probes.edit(pod, container, barred ? STOPPED : NONE);
      }
    }
  }

  /** Says that something of the pod moved, or may have: its probes take a look. */
  look(uid: string): void {
    const probed = this.#probed.get(uid);
    if (probed === undefined) return;
    const observed = this.#pods.observed(uid);
    for (const probes of probed.containers.values()) {
      const before = probes.containerId;
      probes.look(observed);
      this.#index(before, probes);
    }
  }

  /**
   * Says that the pod is on its way out: its app containers are not to be found dead
   * any more, while readiness, and sidecars wholly, are asked on until `remove`.
   */
  stopLivenessAndStartup(uid: string): void {
    const probed = this.#probed.get(uid);
    if (probed === undefined) return;
    probed.stopping = true;
    for (const { name } of probed.pod.spec.containers) {
      probed.containers.get(name)?.end(STOPPED);
    }
  }

  /** Forgets a pod, and stops whatever is asked of it. */
  remove(uid: string): void {
    this.#probed.get(uid)?.[Symbol.dispose]();
    this.#probed.delete(uid);
  }

  /** What counts for a container, by its id without a scheme; `undefined` for nothing. */
  liveness(containerId: string): ProbeVerdict {
    return this.#verdict("liveness", containerId);
  }

  /** As {@linkcode liveness}, of readiness. */
  readiness(containerId: string): ProbeVerdict {
    return this.#verdict("readiness", containerId);
  }

  /** As {@linkcode liveness}, of startup. */
  startup(containerId: string): ProbeVerdict {
    return this.#verdict("startup", containerId);
  }

  /** How each probe of a pod stands, sidecars first, in the order of the spec. */
  report(uid: string): readonly ProbeReport[] {
    const probed = this.#probed.get(uid);
    if (probed === undefined) return [];
    return probedContainers(probed.pod).flatMap(({ name }) =>
      probed.containers.get(name)?.report() ?? []
    );
  }

  /**
   * Gives every verdict that changes; the one that a new container begins with is none.
   * A slow reader misses verdicts but never the last one of a probe.
   *
   * Ends when `signal` aborts, and then all probes have stopped for good.
   */
  async *run(signal: AbortSignal): AsyncGenerator<ProbeChange, void> {
    const close = (): void => {
      this.#closed = true;
      for (const uid of [...this.#probed.keys()]) this.remove(uid);
    };
    if (signal.aborted) close();
    signal.addEventListener("abort", close, { once: true });
    try {
      yield* this.#changes.read(signal);
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  #begin(pod: Pod): ProbedPod {
    const { uid } = pod.metadata;
    const containers = new Map<string, ContainerProbes>();
    const probed: ProbedPod = {
      pod,
      containers,
      stopping: false,
      [Symbol.dispose]: () => {
        this.#drop(containers, new Set());
        this.#changes.forget(uid);
      },
    };
    this.#probed.set(uid, probed);
    return probed;
  }

  #verdict(kind: ProbeKind, containerId: string): ProbeVerdict {
    return this.#byContainerId.get(containerId)?.verdict(kind, containerId);
  }

  #publish(change: ProbeChange): void {
    const { uid, container, containerId, kind, verdict } = change;
    this.#log.info("probe_verdict", {
      pod: this.#nameOf(uid),
      uid,
      container,
      containerId,
      probe: kind,
      verdict,
    });
    this.#changes.put(change);
  }

  #nameOf(uid: string): string {
    const { namespace, name } = this.#probed.get(uid)?.pod.metadata ?? {};
    return `${namespace}/${name}`;
  }

  /** Removes the probes of all containers but those of these names. */
  #drop(
    containers: Map<string, ContainerProbes>,
    keep: ReadonlySet<string>,
  ): void {
    for (const [name, probes] of [...containers]) {
      if (keep.has(name)) continue;
      probes[Symbol.dispose]();
      containers.delete(name);
      this.#unindex(probes.containerId, probes);
    }
  }

  #index(before: string | undefined, probes: ContainerProbes): void {
    if (before === probes.containerId) return;
    this.#unindex(before, probes);
    if (probes.containerId !== undefined) {
      this.#byContainerId.set(probes.containerId, probes);
    }
  }

  #unindex(containerId: string | undefined, probes: ContainerProbes): void {
    if (containerId === undefined) return;
    if (this.#byContainerId.get(containerId) !== probes) return;
    this.#byContainerId.delete(containerId);
  }
}

/** Ordinary init containers end by themselves and are not probed. */
function probedContainers(pod: Pod): readonly ContainerSpec[] {
  return servingContainers(pod).filter(hasProbes);
}

/**
 * Holds what was not read yet: of each probe the last verdict only, so that it is
 * never lost and the queue is never longer than there are probes. One reader.
 */
class ProbeChanges {
  readonly #waiting = new Map<string, ProbeChange>();
  readonly #bell = new Bell();

  /** Takes a verdict; replaces an unread one of the same probe. */
  put(change: ProbeChange): void {
    const { uid, container, kind } = change;
    this.#waiting.set(JSON.stringify([uid, container, kind]), change);
    this.#bell.ring();
  }

  /** Drops the unread verdicts of a pod that is gone. */
  forget(uid: string): void {
    for (const [key, change] of this.#waiting) {
      if (change.uid === uid) this.#waiting.delete(key);
    }
  }

  /** Gives what waits, the oldest first, and then what comes, until `signal` aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<ProbeChange, void> {
    while (!signal.aborted) {
      const next = this.#waiting.entries().next();
      if (next.done) {
        await this.#bell.wait(signal);
        continue;
      }
      const [key, change] = next.value;
      this.#waiting.delete(key);
      yield change;
    }
  }
}
