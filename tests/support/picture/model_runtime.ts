/**
 * A runtime in memory, as far as watching it goes, and a stream of events to go with it.
 *
 * @module
 */

import { type Clock, Inbox } from "../../../mod/base/mod.ts";
import {
  type Container,
  type ContainerFilter,
  CriError,
  type CriErrorKind,
  type RuntimeContainerStatus,
  type Sandbox,
  type SandboxFilter,
  type SandboxStatus,
} from "../../../mod/cri/model/mod.ts";
import type {
  ContainerEvent,
  ContainerExit,
  RuntimeEvent,
} from "../../../mod/cri/events/mod.ts";
import {
  containerDetails,
  containerRow,
  sandboxDetails,
  sandboxRow,
} from "../runtime_rows.ts";

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** How a call goes wrong: it hangs until `release`, or fails. */
export type ModelFault = "hang" | CriErrorKind;

/** What a runtime allows for a call. */
const CALL_LIMIT_MS = 120_000;

/** A runtime of pods with one sandbox; changes show after `lagMs`. */
export class ModelRuntime {
  /** `list sandboxes`, `list containers`, each with a UID or state, or `status` and an id. */
  readonly calls: string[] = [];
  /** By what `calls` says. */
  readonly faults: Map<string, ModelFault> = new Map();
  /** Ids that lists leave out. */
  readonly unlisted: Set<string> = new Set();
  /** Rows that lists of all have twice. */
  isDoubled = false;
  /** Changes are shown this long after they happened. */
  lagMs = 0;
  readonly #clock: Clock;
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #containers = new Map<string, Container>();
  readonly #ips = new Map<string, string>();
  readonly #changes: { atMs: number; apply: () => void }[] = [];
  #released = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A pod `uid` with a ready sandbox `s-uid` and running containers `name-uid`. */
  addPod(uid: string, names: readonly string[] = ["c"]): void {
    this.#sandboxes.set(`s-${uid}`, sandboxRow(uid));
    for (const name of names) this.addContainer(uid, name);
  }

  /** A running container `name-uid`, or `name-uid-attempt` from the second on. */
  addContainer(uid: string, name: string, attempt: number = 0): string {
    const row = containerRow(uid);
    const id = attempt === 0 ? `${name}-${uid}` : `${name}-${uid}-${attempt}`;
    this.#containers.set(id, {
      ...row,
      id,
      metadata: { name, attempt },
      createdAt: BigInt(2 + attempt),
      labels: { ...row.labels, "io.kubernetes.container.name": name },
      annotations: { "io.kubernetes.container.restartCount": `${attempt}` },
    });
    return id;
  }

  /** Ends a container. */
  exit(id: string): void {
    this.#later(() => {
      const row = this.#containers.get(id);
      if (row !== undefined) {
        this.#containers.set(id, { ...row, state: "exited" });
      }
    });
  }

  /** Ends a sandbox's own process. */
  endSandbox(id: string): void {
    this.#later(() => {
      const row = this.#sandboxes.get(id);
      if (row !== undefined) {
        this.#sandboxes.set(id, { ...row, state: "not_ready" });
      }
    });
  }

  /** Takes a container or a sandbox without a trace. */
  remove(id: string): void {
    this.#containers.delete(id);
    this.#sandboxes.delete(id);
  }

  /** Gives a sandbox another address. */
  setIp(sandboxId: string, ip: string): void {
    this.#ips.set(sandboxId, ip);
  }

  /** Lets every call that hangs go on. */
  release(): void {
    this.faults.clear();
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  async listPodSandbox(
    filter?: SandboxFilter,
    options: CallOptions = {},
  ): Promise<readonly Sandbox[]> {
    await this.#suffer(`list sandboxes${suffix(filter)}`, options);
    return this.#listed([...this.#sandboxes.values()], filter);
  }

  async listContainers(
    filter?: ContainerFilter,
    options: CallOptions = {},
  ): Promise<readonly Container[]> {
    await this.#suffer(`list containers${suffix(filter)}`, options);
    return this.#listed([...this.#containers.values()], filter);
  }

  async podSandboxStatus(
    id: string,
    options: CallOptions = {},
  ): Promise<SandboxStatus> {
    await this.#suffer(`status ${id}`, options);
    const row = this.#sandboxes.get(id);
    if (row === undefined) throw failure("not_found");
    return sandboxDetails(row, { ip: this.#ips.get(id) ?? "10.88.0.7" });
  }

  async containerStatus(
    id: string,
    options: CallOptions = {},
  ): Promise<RuntimeContainerStatus> {
    await this.#suffer(`status ${id}`, options);
    const row = this.#containers.get(id);
    if (row === undefined) throw failure("not_found");
    return containerDetails(row);
  }

  #listed<
    Row extends {
      readonly id: string;
      readonly state: string;
      readonly labels: Readonly<Record<string, string>>;
    },
  >(
    rows: readonly Row[],
    filter?: {
      readonly state?: string;
      readonly labels?: Readonly<Record<string, string>>;
    },
  ): readonly Row[] {
    const listed = rows.filter(({ id, state, labels }) =>
      !this.unlisted.has(id) && (filter?.state ?? state) === state &&
      Object.entries(filter?.labels ?? {})
        .every(([key, value]) => labels[key] === value)
    );
    return this.isDoubled ? listed.flatMap((row) => [row, row]) : listed;
  }

  #later(apply: () => void): void {
    this.#changes.push({ atMs: this.#clock.monotonic() + this.lagMs, apply });
    this.#settle();
  }

  #settle(): void {
    const nowMs = this.#clock.monotonic();
    for (const change of this.#changes.splice(0)) {
      if (change.atMs <= nowMs) change.apply();
      else this.#changes.push(change);
    }
  }

  async #suffer(call: string, { signal }: CallOptions): Promise<void> {
    this.calls.push(call);
    const fault = this.faults.get(call);
    if (fault === "hang") await this.#hang(signal);
    else if (fault !== undefined) throw failure(fault);
    this.#settle();
  }

  async #hang(signal?: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    using _limit = this.#clock.after(
      CALL_LIMIT_MS,
      () => reject(failure("deadline")),
    );
    const leave = (): void => reject(failure("cancelled"));
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted) leave();
    try {
      await Promise.race([promise, this.#released.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

/** Streams of events that a test speaks into. */
export class EventScript {
  /** How often a stream was asked for. */
  opened = 0;
  /** Thrown in place of opening a stream. */
  refusal: Error | undefined;
  #inbox: Inbox<RuntimeEvent | Error> | undefined;

  /** What `PlegDeps.events` is. */
  readonly open = (signal: AbortSignal): AsyncIterable<RuntimeEvent> =>
    this.#open(signal);

  /**
   * Tells an event, if anybody listens.
   *
   * @param more the pod's UID, or that and when it was told, in wall time
   */
  announce(
    what: ContainerEvent["what"],
    containerId: string,
    more: string | { readonly at?: number; readonly podUid?: string } = {},
  ): void {
    const { podUid, at = 0 } = typeof more === "string"
      ? { podUid: more }
      : more;
    this.#inbox?.offer({
      kind: "moved",
      containerId,
      podUid,
      what,
      at: BigInt(at) * 1_000_000n,
    });
  }

  /** Tells that something was told which did not get through. */
  miss(): void {
    this.#inbox?.offer({ kind: "missed" });
  }

  /** Tells that a container stopped, and how. */
  tellEnd(containerId: string, exit: ContainerExit): void {
    const what = "stopped";
    this.#inbox?.offer({
      kind: "moved",
      containerId,
      podUid: undefined,
      what,
      exit,
      at: 0n,
    });
  }

  /** Ends the stream, or breaks it. */
  end(failure?: Error): void {
    if (failure === undefined) this.#inbox?.[Symbol.dispose]();
    else this.#inbox?.offer(failure);
  }

  async *#open(signal: AbortSignal): AsyncIterable<RuntimeEvent> {
    this.opened++;
    if (this.refusal !== undefined) throw this.refusal;
    using inbox = new Inbox<RuntimeEvent | Error>(1_000);
    this.#inbox = inbox;
    const leave = (): void => inbox[Symbol.dispose]();
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    yield { kind: "connected", stream: "cri" };
    try {
      for await (const event of inbox) {
        if (event instanceof Error) throw event;
        yield event;
      }
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}

/** A failure of a call. */
export function failure(kind: CriErrorKind): CriError {
  return new CriError({ kind, method: "Test", detail: kind });
}

function suffix(
  filter?: {
    readonly state?: string;
    readonly labels?: Readonly<Record<string, string>>;
  },
): string {
  const uid = filter?.labels?.["io.kubernetes.pod.uid"];
  return [filter?.state, uid].filter((part) => part !== undefined)
    .map((part) => ` ${part}`).join("");
}
