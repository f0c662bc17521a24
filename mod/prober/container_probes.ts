/**
 * The probes of one container, which share what is known of it.
 *
 * @module
 */

import type { Random } from "../base/mod.ts";
import type { ContainerSpec, Pod } from "../api/types/mod.ts";
import {
  type ContainerPast,
  type ContainerSight,
  type ProbeKind,
  probeNumbers,
} from "../pod/probes/mod.ts";
import {
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
} from "../pod/observed/mod.ts";
import type { ProbeVerdict } from "../pod/plan/mod.ts";
import type { ProbeMemory, ProbeReport } from "./ports.ts";
import {
  type ProbeSubject,
  ProbeWorker,
  type WorkerDeps,
} from "./probe_worker.ts";

/** What the probes of a container need. */
export interface ContainerDeps extends WorkerDeps {
  readonly random: Random;
  readonly memory: ProbeMemory;
}

/**
 * How a container that runs already came to its probes: it ran before this agent did,
 * or a probe was added to its pod while it ran.
 */
export type Arrival = "survivor" | "edited";

/** Startup first: the others ask whether it is done. */
const KINDS: readonly ProbeKind[] = ["startup", "readiness", "liveness"];

/** Without a startup probe a container that runs has started. */
const EDITED: ContainerPast = { started: true };

type RunningSight = ContainerSight & { readonly kind: "running" };

/** Keeps one worker for each probe that the container has. */
export class ContainerProbes implements Disposable {
  readonly #deps: ContainerDeps;
  readonly #name: string;
  readonly #workers = new Map<ProbeKind, ProbeWorker>();
  #sight: ContainerSight = { kind: "absent" };
  /** The run that was seen last, unless it has ended. */
  #run: RunningSight | undefined;
  #id: string | undefined;

  /** Begins with what `observed` shows; workers come with `edit`. */
  constructor(
    deps: ContainerDeps,
    options: {
      readonly pod: Pod;
      readonly container: ContainerSpec;
      readonly observed: ObservedPod | undefined;
      readonly arrival: Arrival;
    },
  ) {
    const { pod, container, observed, arrival } = options;
    this.#name = container.name;
    this.#deps = {
      ...deps,
      publish: (change) => {
        deps.publish(change);
        // What waits for the start need not wait for a look as well.
        if (change.kind === "startup") this.#show();
      },
    };
    const seen = observed && latestContainer(observed, this.#name);
    const runs = seen?.state === "running";
    if (runs) this.#run = this.#arrive(seen, arrival);
    this.#see(seen);
    const isSurvivor = runs && arrival === "survivor";
    for (const { kind, probe } of probesOf(container)) {
      this.#add(kind, { pod, container, probe }, isSurvivor);
    }
    this.#show();
  }

  /** The container that the probes stand with; `undefined` before the first. */
  get containerId(): string | undefined {
    return this.#id;
  }

  /** What counts for this container; `undefined` when nothing does. */
  verdict(kind: ProbeKind, containerId: string): ProbeVerdict {
    return this.#workers.get(kind)?.verdict(containerId);
  }

  /** Makes the workers those of the newest spec, but for kinds that may not begin. */
  edit(
    pod: Pod,
    container: ContainerSpec,
    barred: ReadonlySet<ProbeKind>,
  ): void {
    const probes = probesOf(container);
    for (const [kind, worker] of [...this.#workers]) {
      if (probes.some((probe) => probe.kind === kind)) continue;
      worker[Symbol.dispose]();
      this.#workers.delete(kind);
    }
    for (const { kind, probe } of probes) {
      const subject = { pod, container, probe };
      const worker = this.#workers.get(kind);
      if (worker !== undefined) worker.edit(subject);
      else if (!barred.has(kind)) {
        const added = this.#add(kind, subject, false);
        if (this.#sight.kind === "running") {
          added.look({ ...this.#sight, past: EDITED }, this.#isStarted());
        }
      }
    }
    this.#show();
  }

  /** Takes a look at the pod; `undefined` when the runtime has nothing of it. */
  look(observed: ObservedPod | undefined): void {
    this.#see(observed && latestContainer(observed, this.#name));
    this.#show();
  }

  /** Ends the workers of these kinds; what counts stays to be read. */
  end(kinds: ReadonlySet<ProbeKind>): void {
    for (const kind of kinds) this.#workers.get(kind)?.end();
  }

  /** How each probe stands. */
  report(): readonly ProbeReport[] {
    return [...this.#workers.values()].map((worker) => worker.report());
  }

  [Symbol.dispose](): void {
    for (const worker of this.#workers.values()) worker[Symbol.dispose]();
    this.#workers.clear();
  }

  #add(
    kind: ProbeKind,
    subject: ProbeSubject,
    isSurvivor: boolean,
  ): ProbeWorker {
    const { clock, random } = this.#deps;
    // An agent that returns finds all its pods at once; their probes begin at random
    // moments, so that they do not all ask together (worker.go, run; PR-12).
    const { periodMs } = probeNumbers(subject.probe);
    const waitMs = isSurvivor ? random.next() * periodMs : 0;
    const anchorMs = clock.monotonic() + waitMs;
    const worker = new ProbeWorker(this.#deps, { kind, subject, anchorMs });
    this.#workers.set(kind, worker);
    return worker;
  }

  /** Shows the workers what was seen last. */
  #show(): void {
    // The startup probe comes first in every order, so that the others see it done.
    for (const kind of KINDS) {
      this.#workers.get(kind)?.look(this.#sight, this.#isStarted());
    }
  }

  #isStarted(): boolean {
    const startup = this.#workers.get("startup");
    return startup === undefined || this.#id === undefined ||
      startup.verdict(this.#id) === "success";
  }

  #see(seen: ObservedContainer | undefined): void {
    this.#sight = this.#sightOf(seen);
    if (seen === undefined) return;
    this.#id = seen.id;
    if (this.#sight.kind === "ended") this.#run = undefined;
    else if (this.#sight.kind === "running") this.#run = this.#sight;
  }

  #sightOf(seen: ObservedContainer | undefined): ContainerSight {
    switch (seen?.state) {
      case undefined:
        return { kind: "absent" };
      case "created":
      case "unknown":
        return { kind: "unclear", id: seen.id };
      case "exited":
        return { kind: "ended", id: seen.id };
      case "running":
        if (this.#run?.id === seen.id) return this.#run;
        return {
          kind: "running",
          id: seen.id,
          sinceMs: this.#deps.clock.monotonic(),
          ageMs: 0,
        };
    }
  }

  /** A container that ran before the first look: the wall clock gives its age. */
  #arrive(seen: ObservedContainer, arrival: Arrival): RunningSight {
    const { clock, memory } = this.#deps;
    return {
      kind: "running",
      id: seen.id,
      sinceMs: clock.monotonic(),
      ageMs: clock.now() - Number(seen.startedAt / 1_000_000n),
      past: arrival === "survivor" ? memory.remembered(seen.id) ?? {} : EDITED,
    };
  }
}

function probesOf(container: ContainerSpec) {
  return KINDS.flatMap((kind) => {
    const probe = container[`${kind}Probe`];
    return probe === undefined ? [] : [{ kind, probe }];
  });
}

/** Whether there is anything to ask the container. */
export function hasProbes(container: ContainerSpec): boolean {
  return probesOf(container).length > 0;
}
