/**
 * Registers a node and says how it is.
 *
 * @module
 */

import { ApiFailure, hasFailed } from "../api/access/mod.ts";
import type { Node } from "../api/cluster/mod.ts";
import { nodeRef } from "../api/objects/mod.ts";
import type { EventSink } from "../api/types/mod.ts";
import {
  Bell,
  type Clock,
  jitter,
  nextDelay,
  type Random,
} from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import {
  adoptionPatch,
  hasChanged,
  newNode,
  nextStatus,
  statusPatch,
} from "./node_object.ts";
import type { NodeIdentity, NodePicture } from "./node_picture.ts";
import type { NodeClient } from "./ports.ts";

/** What this agent is to the node, beside others that may have its name. */
export type NodeStanding =
  /** It is the node. */
  | "ours"
  /** No agent is: who is first to make the node may, and what is there is left as it is. */
  | "free"
  /** Another agent is the node: nothing is written over what that one says. */
  | "others"
  | "unknown";

/** What a reporter works with. */
export interface NodeReporterDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventSink;
  readonly client: NodeClient;
  /** The node as a watch shows it; absent while none does. */
  readonly current: () => Node | undefined;
  /** Asked before each write. */
  readonly standing: () => NodeStanding;
  /** @throws {Error} when the node cannot be looked at now */
  readonly picture: (signal: AbortSignal) => Promise<NodePicture>;
}

/** How a node is kept known; times in milliseconds. */
export interface NodeReporterOptions {
  readonly identity: NodeIdentity;
  /** Whether the node is registered if it is not known (`registerNode`). */
  readonly register: boolean;
  /** `nodeStatusUpdateFrequency`. */
  readonly updateMs: number;
  /** `nodeStatusReportFrequency`. */
  readonly reportMs: number;
  /** `nodeStatusMaxImages`. */
  readonly maxImages: number;
}

/** Between two tries to register, as upstream. */
const REGISTER_RETRY = { baseMs: 100, maxMs: 7_000 };

/** As upstream's nodeStatusUpdateRetry. */
const REPORT_TRIES = 5;

const JITTER = 0.04;

/** What has changed at once is said together. */
const GATHER_MS = 100;

/**
 * Keeps the cluster's picture of its node true: registers it, or takes on what was
 * registered, then looks at the node every ten seconds, and at once when told to. The status
 * is written when it has changed, and as a sign of life every five minutes; the kubelet waits
 * for the next of its ten seconds.
 */
export class NodeReporter {
  readonly #deps: NodeReporterDeps;
  readonly #options: NodeReporterOptions;
  readonly #bell = new Bell();
  #isWoken = false;
  #reportDueMs = -Infinity;
  readonly #looked = new Bell();
  /** How many looks have begun, and how many have ended. */
  #begun = 0;
  #ended = 0;
  /** Whether the cluster knows nothing of this agent yet. */
  #isFirst = true;
  /** Whether the node was made or taken on, or is for somebody else to make. */
  #isRegistered: boolean;
  #isFailing = false;
  #wasUnschedulable: boolean | undefined;

  constructor(deps: NodeReporterDeps, options: NodeReporterOptions) {
    this.#deps = { ...deps, log: deps.log.named("node") };
    this.#options = options;
    this.#isRegistered = !options.register;
  }

  /** Has the node looked at soon: something has changed, here or at the server. */
  wake(): void {
    this.#isWoken = true;
    this.#bell.ring();
  }

  /**
   * Has the node looked at now, and waits until that was written, or could not be, or
   * `signal` aborts; never rejects.
   */
  async tell(signal: AbortSignal): Promise<void> {
    const wanted = this.#begun + 1;
    this.wake();
    while (this.#ended < wanted && !signal.aborted) {
      await this.#looked.wait(signal);
    }
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    this.#record({
      type: "Normal",
      reason: "Starting",
      message: "Starting skerry.",
    });
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        this.#begun++;
        await this.#look(signal);
        this.#ended = this.#begun;
        this.#looked.ring();
        const pauseMs = jitter(random, this.#options.updateMs, JITTER);
        const untilMs = clock.monotonic() + pauseMs;
        await clock.sleep(GATHER_MS, signal);
        if (!this.#isWoken) await this.#bell.wait(signal, { clock, untilMs });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Has the node registered, if it is not, and says how it is, as far as that is allowed. */
  async #look(signal: AbortSignal): Promise<void> {
    if (this.#deps.standing() === "others") {
      // What that one makes of the node is to be taken on when it is gone.
      this.#isRegistered = !this.#options.register;
      this.#isFirst = true;
    }
    if (!this.#isRegistered) {
      await this.#register(signal);
      // What was made just now needs no look until it has a lease.
      if (this.#deps.standing() !== "ours") return;
    }
    if (this.#isRegistered) await this.#report(signal);
  }

  /** Tries until it is done, or is not for this agent to do. */
  async #register(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const { identity: { name } } = this.#options;
    let delayMs: number | undefined;
    while (this.#mayTouch()) {
      try {
        if (!await this.#tryRegister(signal)) return;
        this.#isRegistered = true;
        log.info("node_registered", { node: name });
        return this.#recovered();
      } catch (error) {
        if (signal.aborted) throw error;
        this.#failed("node_not_registered", error);
      }
      delayMs = nextDelay(delayMs, REGISTER_RETRY);
      await clock.sleep(delayMs, signal);
    }
  }

  #mayTouch(): boolean {
    const standing = this.#deps.standing();
    return standing === "ours" || standing === "free";
  }

  /**
   * @returns whether the node is there as it should be; else whoever made it may be it, and
   * has a lease soon
   */
  async #tryRegister(signal: AbortSignal): Promise<boolean> {
    const { client, clock, picture, standing } = this.#deps;
    const { identity, maxImages } = this.#options;
    const looked = await picture(signal);
    // It may have changed while the runtime was asked.
    if (!this.#mayTouch()) return false;
    const how = { nowMs: clock.now(), maxImages, isFirst: true };
    try {
      await client.create(newNode(identity, looked, how), signal);
      const { events } = nextStatus(undefined, looked, how);
      for (const reason of events) this.#tell(reason, looked);
    } catch (error) {
      // Who may not create one may still have one that somebody else made.
      if (!hasFailed(error, "AlreadyExists", "Forbidden")) throw error;
      const known = await this.#known(error, signal);
      if (standing() !== "ours") return false;
      const patch = adoptionPatch(known, identity);
      if (patch !== undefined) await client.patchStatus(patch, signal);
    }
    return true;
  }

  async #known(refusal: ApiFailure, signal: AbortSignal): Promise<Node> {
    try {
      return await this.#deps.client.get(signal);
    } catch (error) {
      // The first answer says what is to be done about it.
      throw hasFailed(error, "NotFound") ? refusal : error;
    }
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { client, current } = this.#deps;
    // Whether there is a node is asked while it is nobody's, too.
    if (!this.#mayTouch()) return;
    let last: unknown;
    for (let tries = 1; tries <= REPORT_TRIES; tries++) {
      try {
        const shown = tries === 1 ? current() : undefined;
        await this.#tryReport(shown ?? await client.get(signal), signal);
        return this.#recovered();
      } catch (error) {
        if (signal.aborted) throw error;
        last = error;
        if (hasFailed(error, "NotFound")) return await this.#miss(signal);
        // Nobody is there: at once it is no other.
        if (!(error instanceof ApiFailure)) break;
        if (hasFailed(error, "Unreachable", "Timeout")) break;
      }
    }
    this.#failed("node_status_failed", last);
  }

  /** Somebody has deleted the node, or nobody has made it yet. */
  async #miss(signal: AbortSignal): Promise<void> {
    const { register, identity: { name } } = this.#options;
    if (!register) {
      const words =
        `Cannot write the status of node "${name}": there is none, and registerNode is false; wanted one that somebody else makes`;
      return this.#failed("node_missing", new Error(words));
    }
    this.#deps.log.warn("node_deleted", {
      node: name,
      note: "it is registered again",
    });
    this.#isFirst = true;
    this.#isRegistered = false;
    await this.#register(signal);
    this.wake();
  }

  async #tryReport(node: Node, signal: AbortSignal): Promise<void> {
    const { clock, random, client, picture, standing } = this.#deps;
    const { reportMs, maxImages } = this.#options;
    const looked = await picture(signal);
    if (standing() !== "ours") return;
    const nowMs = clock.now();
    const { status, events } = nextStatus(node.status, looked, {
      nowMs,
      maxImages,
      isFirst: this.#isFirst,
    });
    const isNews = hasChanged(node.status, status);
    if (isNews || clock.monotonic() >= this.#reportDueMs) {
      const patch = statusPatch(node.status, status);
      await client.patchStatus({ status: patch }, signal);
      // After a change nodes that changed together report apart.
      const spreadMs = isNews ? (random.next() - 0.5) * reportMs : 0;
      this.#reportDueMs = clock.monotonic() + reportMs + spreadMs;
    }
    this.#isFirst = false;
    for (const reason of events) this.#tell(reason, looked);
    this.#tellSchedulable(node);
  }

  #tellSchedulable({ spec: { unschedulable = false } }: Node): void {
    const before = this.#wasUnschedulable;
    this.#wasUnschedulable = unschedulable;
    if (before === undefined || before === unschedulable) return;
    this.#tell(unschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
  }

  #tell(reason: string, picture?: NodePicture): void {
    const { name } = this.#options.identity;
    const hasRebooted = reason === "Rebooted";
    const message = hasRebooted
      ? `Node ${name} has been rebooted, boot id: ${picture?.info.bootID}`
      : `Node ${name} status is now: ${reason}`;
    const type = hasRebooted ? "Warning" : "Normal";
    this.#record({ type, reason, message });
  }

  #record(event: Parameters<EventSink["record"]>[1]): void {
    const { name } = this.#options.identity;
    this.#deps.events.record(nodeRef(name), event);
  }

  /** Told once, until it works again. */
  #failed(what: string, error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#deps.log.error(what, { error: describeError(error) });
  }

  #recovered(): void {
    if (this.#isFailing) this.#deps.log.info("node_status_recovered", {});
    this.#isFailing = false;
  }
}
