/**
 * A node in miniature on which the pods of a Job run, with an object store that does with
 * finalizers what an API server does, and notes every breach of the rules.
 *
 * @module
 */

import {
  type AccessRef,
  ApiFailure,
  type NewObject,
} from "../../../mod/api/access/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ApiObject, Job } from "../../../mod/api/workload/mod.ts";
import { type Clock, isRecord, type Random } from "../../../mod/base/mod.ts";
import {
  isActivePod,
  isEndedPod,
  isOfKind,
} from "../../../mod/controller/run/mod.ts";
import { formatTime } from "../../../mod/pod/status/mod.ts";
import { pick } from "../fuzz/fuzz.ts";
import { endedPodStatus } from "./job_objects.ts";
import { ScriptedObjects } from "./scripted_objects.ts";

const TRACKING = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";

/** Whether a pod waits to be counted. */
export function isHeld({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) ?? false;
}

/** The store and the pods of one Job. */
export class JobNode extends ScriptedObjects {
  readonly breaches: string[] = [];
  /** UIDs that were ever said to have ended so. */
  readonly ever: {
    readonly succeeded: Set<string>;
    readonly failed: Set<string>;
  } = { succeeded: new Set<string>(), failed: new Set<string>() };
  /** Indexes of which a pod has succeeded. */
  readonly doneIndexes: Set<number> = new Set();
  isFrozen: boolean = false;
  /** Of so many calls the answer is lost. */
  losesOneOf: number = Infinity;
  #listed: ReadonlySet<string> = new Set();
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    super();
    this.#clock = deps.clock;
    this.#random = deps.random;
  }

  override freeze(): void {
    this.isFrozen = true;
    super.freeze();
  }

  override thaw(): void {
    this.isFrozen = false;
    super.thaw();
  }

  get job(): Job | undefined {
    return this.all("Job")[0];
  }

  get pods(): readonly Pod[] {
    return this.all("Pod");
  }

  override async create(object: NewObject): Promise<ApiObject> {
    const { status, spec } = this.job ?? {};
    if ((status?.failed ?? 0) > (spec?.backoffLimit ?? 0)) {
      this.breaches.push("a pod is made after the last failure");
    }
    return this.#lose(await super.create(object));
  }

  override async patch(
    ref: AccessRef,
    patch: Readonly<Record<string, unknown>>,
  ): Promise<ApiObject> {
    const before = await this.get(ref);
    this.calls.pop();
    const { metadata } = patch;
    const version = isRecord(metadata)
      ? metadata["resourceVersion"]
      : undefined;
    if (version !== undefined && version !== before.metadata.resourceVersion) {
      throw new ApiFailure("Conflict", "It has changed");
    }
    const after = await super.patch(ref, patch);
    if (isOfKind("Pod", before) && isOfKind("Pod", after)) {
      if (isHeld(before) && !isHeld(after)) this.#judge(before);
      this.#release(after);
    }
    return this.#lose(after);
  }

  override async updateStatus(object: ApiObject): Promise<ApiObject> {
    const before = this.job?.status ?? {};
    const written = await super.updateStatus(object);
    const after = this.job?.status ?? {};
    for (const key of ["succeeded", "failed"] as const) {
      if ((after[key] ?? 0) < (before[key] ?? 0)) {
        this.breaches.push(`${key} went down`);
      }
      for (const uid of after.uncountedTerminatedPods?.[key] ?? []) {
        if (this.ever[key].has(uid) && !this.#listed.has(uid)) {
          this.breaches.push(`${uid} is counted a second time`);
        }
        this.ever[key].add(uid);
      }
    }
    const { succeeded = [], failed = [] } = after.uncountedTerminatedPods ?? {};
    this.#listed = new Set([...succeeded, ...failed]);
    return this.#lose(written);
  }

  override async delete(ref: AccessRef): Promise<void> {
    await this.get(ref);
    this.calls.pop();
    this.calls.push(`delete ${ref.kind} ${ref.name}`);
    const pod = this.pods.find(({ metadata }) => metadata.name === ref.name);
    if (pod !== undefined) this.remove(pod);
  }

  /** Somebody deletes a pod: it is there until it has ended and nobody holds it. */
  remove(pod: Pod): void {
    const deletionTimestamp = pod.metadata.deletionTimestamp ??
      formatTime(this.#clock.now());
    this.#put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  /** After a restart of the agent nobody knows what pods are. */
  forget(): void {
    if (this.#known.size > 0) return;
    this.#known = new Map(
      this.pods.map((pod) => [pod.metadata.uid, pod.status]),
    );
    for (const pod of this.pods) {
      const blank: Pod = { ...pod, status: { phase: "Pending" } };
      this.put(blank);
    }
  }

  get isForgetful(): boolean {
    return this.#known.size > 0;
  }

  /** The agent has looked. */
  remember(): void {
    const known = this.#known;
    this.#known = new Map();
    for (const pod of this.pods) {
      const status = known.get(pod.metadata.uid);
      if (status !== undefined) this.#put({ ...pod, status });
    }
  }

  #known: ReadonlyMap<string, Pod["status"]> = new Map();

  start(pod: Pod): void {
    this.#put({
      ...pod,
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
      },
    });
  }

  end(pod: Pod, phase: "Succeeded" | "Failed"): void {
    const index = pod.metadata.annotations?.[INDEX];
    if (phase === "Succeeded" && index !== undefined) {
      this.doneIndexes.add(Number(index));
    }
    this.#put({ ...pod, status: endedPodStatus(phase, this.#clock.now()) });
  }

  /** Something happens to one of the pods. */
  happen(kinds: { readonly fails: number; readonly deletes: boolean }): void {
    const [first, ...rest] = this.pods.filter((pod) => !isEndedPod(pod));
    if (first === undefined) return;
    const pod = pick(this.#random, [first, ...rest]);
    const luck = this.#random.next();
    if (kinds.deletes && luck < 0.05) {
      this.drop("Pod", pod.metadata.namespace, pod.metadata.name);
    } else if (kinds.deletes && luck < 0.15) this.remove(pod);
    else if (pod.status?.phase !== "Running") this.start(pod);
    else {
      const isLucky = this.#random.next() >= kinds.fails;
      this.end(pod, isLucky ? "Succeeded" : "Failed");
    }
  }

  /** Notes what must hold whenever nobody is at work. */
  look(): void {
    if (this.isForgetful) return;
    const { spec } = this.job ?? {};
    const active = this.pods.filter(isActivePod);
    if (active.length > (spec?.parallelism ?? 0)) {
      this.breaches.push(`${active.length} pods are active`);
    }
    if (spec?.completionMode !== "Indexed") return;
    const indexes = active.map(({ metadata }) => metadata.annotations?.[INDEX]);
    if (new Set(indexes).size < indexes.length) {
      this.breaches.push(`pods for ${indexes}`);
    }
  }

  #put(pod: Pod): void {
    const kept = this.put(pod);
    if (isOfKind("Pod", kept)) this.#release(kept);
  }

  #release(pod: Pod): void {
    const { name, namespace, deletionTimestamp } = pod.metadata;
    const runs = pod.status?.phase === "Running";
    if (deletionTimestamp !== undefined && !isHeld(pod) && !runs) {
      this.drop("Pod", namespace, name);
    }
  }

  /** A pod that has ended must be told of before its finalizer goes. */
  #judge(pod: Pod): void {
    const { uid, name, annotations } = pod.metadata;
    const { status = {} } = this.job ?? {};
    if (!isEndedPod(pod) || status.conditions?.some(isOver)) return;
    const listed = [...this.ever.succeeded, ...this.ever.failed];
    const index = annotations?.[INDEX];
    const isDone = index !== undefined && pod.status?.phase === "Succeeded" &&
      expand(status.completedIndexes).includes(Number(index));
    if (!listed.includes(uid) && !isDone) {
      this.breaches.push(`${name} goes uncounted`);
    }
  }

  /** As long as the cache shows what is done, an answer can be lost. */
  #lose(object: ApiObject): ApiObject {
    if (
      !this.isFrozen &&
      this.#random.next() * this.losesOneOf < 1
    ) {
      throw new ApiFailure("Timeout", "The answer is lost");
    }
    return object;
  }
}

function isOver(
  { type, status }: { readonly type: string; readonly status: string },
): boolean {
  return (type === "Complete" || type === "Failed") && status === "True";
}

/** The numbers of `0-2,5`. */
export function expand(text: string | undefined): readonly number[] {
  return (text ?? "").split(",").filter((part) => part !== "")
    .flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}
