/**
 * Making the sandbox of a pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { unlessAborted } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { CriError, type SandboxStatus } from "../../cri/model/mod.ts";
import type { SaidCause } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod, ObservedSandbox } from "../../pod/observed/mod.ts";
import { causeOf, type SyncReport } from "../account/mod.ts";
import {
  freeName,
  nameHolder,
  RETRY_AFTER_CONFLICT_MS,
} from "./name_conflict.ts";
import { observedSandbox, podIps } from "../observe/mod.ts";
import { SandboxPauses } from "./sandbox_pauses.ts";
import type { SpecBuilder } from "../spec/mod.ts";
import type { PodSandbox, StartDeps } from "./start_context.ts";
import type { StartPlace } from "./start_places.ts";

type SandboxSpec = Extract<
  ReturnType<SpecBuilder["sandbox"]>,
  { readonly kind: "ok" }
>;

/** How soon to look again when the runtime is away; the look itself waits for it. */
const RETRY_UNAVAILABLE_MS = 1_000;

/** Makes sandboxes, and knows of those that are still being made. */
export class SandboxCreator {
  /** How long a pod waits for its next sandbox, after others that came to nothing. */
  readonly pauses: SandboxPauses;
  readonly #deps: StartDeps;
  /** Calls under way by pod UID; they resolve to the sandbox's id, if there is one. */
  readonly #pending = new Map<string, Promise<string | undefined>>();

  constructor(deps: StartDeps) {
    this.#deps = deps;
    this.pauses = new SandboxPauses(deps);
  }

  /**
   * Waits for a sandbox that is still being made for a pod, by a call that was given
   * up.
   *
   * Such a call is never cancelled: only its answer says whether there is a sandbox
   * that must be ended.
   *
   * @returns the sandbox's id, if one came of it
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  async pending(uid: string, signal: AbortSignal): Promise<string | undefined> {
    const call = this.#pending.get(uid);
    if (call === undefined) return undefined;
    const kind = "waiting_for_late_sandbox";
    using _waiting = this.#deps.activities.begin(uid, { kind });
    return await unlessAborted(call, signal);
  }

  /**
   * Makes a sandbox and learns its address.
   *
   * @returns `undefined` when that failed; the report says why
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async create(
    pod: Pod,
    attempt: number,
    options: {
      readonly report: SyncReport;
      readonly signal: AbortSignal;
      /** Its place among the pods that start. */
      readonly place?: StartPlace | undefined;
    },
  ): Promise<PodSandbox | undefined> {
    const { report, signal, place } = options;
    const kind = "creating_sandbox";
    using _creating = this.#deps.activities.begin(pod.metadata.uid, { kind });
    if (!await this.#giveIds(pod, report)) return undefined;
    const spec = this.#spec(pod, attempt, report);
    if (spec === undefined) return undefined;
    const { config } = spec;
    if (!await this.#deps.resources.prepareSandbox(pod, report)) {
      return undefined;
    }
    let id: string;
    try {
      const { uid } = pod.metadata;
      id = await this.#run(uid, spec, { signal, place });
    } catch (error) {
      signal.throwIfAborted();
      await this.#createFailed(pod, error, options);
      return undefined;
    }
    report.changed();
    await this.#deps.resources.sandboxMade(pod);
    const made = { id, attempt };
    const observed = pod.spec.hostNetwork === true
      ? this.#onNode(made)
      : await this.#look(pod, { ...made, ...options });
    if (observed === undefined) return undefined;
    this.pauses.made(pod.metadata.uid);
    return { id, config, observed, ips: podIps([observed], undefined) };
  }

  /** The sandbox that a plan keeps, or `undefined` when it cannot be described any more. */
  kept(
    pod: Pod,
    observed: ObservedPod,
    options: { readonly report: SyncReport },
  ): PodSandbox | undefined {
    const newest = observed.sandboxes[0];
    if (newest === undefined) {
      const message = "Cannot start containers: the pod has no sandbox";
      options.report.podFailed({ reason: "CreatePodSandboxError", message });
      return undefined;
    }
    const spec = this.#spec(pod, newest.attempt, options.report);
    if (spec === undefined) return undefined;
    const { config } = spec;
    return { id: newest.id, config, observed: newest, ips: observed.ips };
  }

  /** Gives a pod with a user namespace its ids; says in the report why it cannot. */
  async #giveIds(pod: Pod, report: SyncReport): Promise<boolean> {
    if (pod.spec.hostUsers !== false) return true;
    try {
      await this.#deps.users.reserve(pod.metadata.uid);
      return true;
    } catch (error) {
      this.#fail(pod, said(describeError(error)), { report });
      return false;
    }
  }

  #spec(
    pod: Pod,
    attempt: number,
    report: SyncReport,
  ): SandboxSpec | undefined {
    const spec = this.#deps.specs.sandbox({ pod, attempt });
    for (const { reason, message } of spec.warnings ?? []) {
      this.#warn(pod, reason, message);
    }
    if (spec.kind === "ok") return spec;
    const event = spec.reason === "CreateContainerConfigError"
      ? undefined
      : spec.reason;
    this.#fail(pod, said(spec.message), { report, event });
    return undefined;
  }

  #run(
    uid: string,
    spec: SandboxSpec,
    { signal, place }: {
      readonly signal: AbortSignal;
      readonly place: StartPlace | undefined;
    },
  ): Promise<string> {
    signal.throwIfAborted();
    const { config, runtimeHandler = "" } = spec;
    const call = this.#deps.runtime.runPodSandbox(config, { runtimeHandler });
    const pending = call.then((id) => id, () => undefined);
    this.#pending.set(uid, pending);
    place?.making(pending);
    const settle = (): void => {
      if (this.#pending.get(uid) === pending) this.#pending.delete(uid);
    };
    // It never rejects, see above.
    void pending.then(settle);
    return unlessAborted(call, signal);
  }

  async #look(
    pod: Pod,
    made: {
      readonly id: string;
      readonly attempt: number;
      readonly report: SyncReport;
      readonly signal: AbortSignal;
    },
  ): Promise<ObservedSandbox | undefined> {
    const { id, attempt, report, signal } = made;
    let status: SandboxStatus;
    try {
      status = await this.#deps.runtime.podSandboxStatus(id, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const cause = causeOf(error);
      const message = `Unable to get pod sandbox status: ${cause.words}`;
      this.#warn(pod, "FailedPodSandBoxStatus", message);
      report.podFailed({ reason: "CreatePodSandboxError", message, cause });
      return undefined;
    }
    // Containers in it would be stopped by the next plan.
    if (status.ip === "") {
      this.#fail(pod, said(`sandbox "${id}" has no address`), { report });
      return undefined;
    }
    const { createdAt } = status;
    return observedSandbox(status, { id, attempt, createdAt });
  }

  /** What is known of a sandbox on the node's network without asking. */
  #onNode(
    made: Pick<ObservedSandbox, "id" | "attempt">,
  ): ObservedSandbox {
    return {
      ...made,
      ready: true,
      createdAt: BigInt(Math.trunc(this.#deps.clock.now())) * 1_000_000n,
      hostNetwork: true,
      ip: "",
      additionalIps: [],
    };
  }

  async #createFailed(
    pod: Pod,
    error: unknown,
    options: { readonly report: SyncReport; readonly signal: AbortSignal },
  ): Promise<void> {
    const { report, signal } = options;
    report.stopped();
    const { runtime, clock } = this.#deps;
    const of = { uid: pod.metadata.uid, kind: "sandboxes", signal } as const;
    const holder = nameHolder(error);
    const isAway = error instanceof CriError && error.kind === "unavailable";
    const delayMs = isAway
      ? RETRY_UNAVAILABLE_MS
      : holder !== undefined && await freeName(runtime, holder, of)
      ? RETRY_AFTER_CONFLICT_MS
      : undefined;
    const retryAtMs = delayMs && clock.monotonic() + delayMs;
    this.#fail(pod, causeOf(error), { report, retryAtMs });
  }

  #fail(
    pod: Pod,
    cause: SaidCause,
    options: {
      readonly report: SyncReport;
      readonly retryAtMs?: number | undefined;
      /** The reason of the event, where it is a better known one. */
      readonly event?: string | undefined;
    },
  ): void {
    const message = `Failed to create pod sandbox: ${cause.words}`;
    this.#warn(pod, options.event ?? "FailedCreatePodSandBox", message);
    const reason = "CreatePodSandboxError";
    const failure = { reason, message, cause } as const;
    const { report, retryAtMs } = options;
    report.podFailed(
      retryAtMs === undefined
        ? this.pauses.failed(pod.metadata.uid, failure)
        : { ...failure, retryAtMs },
    );
  }

  #warn(pod: Pod, reason: string, message: string): void {
    this.#deps.events.record(podRef(pod), { type: "Warning", reason, message });
  }
}

function said(words: string): SaidCause {
  return { kind: "said", words };
}
