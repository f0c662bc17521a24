/**
 * All that the agent knows of one pod, as it goes over the control socket.
 *
 * @module
 */

import type { Pod, Probe, WireEvent } from "../api/types/mod.ts";
import type { ExplainFinding } from "../explain/mod.ts";

/** What is known of one pod, and why it is as it is. Times are RFC 3339. */
export interface PodReport {
  readonly apiVersion: "skerry.dev/v1alpha1";
  readonly kind: "PodReport";
  /** When it was put together, by the clock of the node. */
  readonly time: string;
  /** As `get pods` shows it. */
  readonly pod: Pod;
  /** Why the pod is as it is, in sentences; the most important first. */
  readonly explanation: readonly string[];
  /** The same for programs: what each sentence is about. */
  readonly findings: readonly ExplainFinding[];
  /** Where the pod's manifest is; absent when no source names the pod. */
  readonly source?: PodOrigin | undefined;
  /** Absent before the first look at the pod. */
  readonly decision?: ReportedDecision | undefined;
  /** What is being done for the pod at present. */
  readonly activities: readonly ReportedActivity[];
  readonly probes: readonly ReportedProbe[];
  /** `v1` events, oldest first. */
  readonly events: readonly WireEvent[];
}

/** Which source wants a pod. */
export interface PodOrigin {
  /** `file`, `http` or `api`. */
  readonly name: string;
  /** Where it reads manifests: a path, or a URL without its secrets. */
  readonly location: string;
}

/** What was last decided about a pod. */
export interface ReportedDecision {
  readonly time: string;
  /** The plan in a few words; absent when there was none to make. */
  readonly plan?: string | undefined;
  /** Each step and why. */
  readonly why: readonly string[];
  /** What did not work. */
  readonly failures: readonly {
    readonly container?: string | undefined;
    readonly reason: string;
    readonly message: string;
    readonly retryTime?: string | undefined;
  }[];
  readonly next: {
    readonly kind: "acting" | "settled" | "retry" | "held" | "terminal";
    readonly time?: string | undefined;
  };
}

/** One thing that goes on for a pod. */
export interface ReportedActivity {
  /** Such as `pulling_image`. */
  readonly kind: string;
  readonly container?: string | undefined;
  readonly image?: string | undefined;
  readonly since: string;
  /** How long already, in seconds; right also where the clock was not. */
  readonly seconds: number;
}

/** One probe, and what it last found. */
export interface ReportedProbe {
  readonly container: string;
  readonly kind: "liveness" | "readiness" | "startup";
  readonly probe: Probe;
  /** What counts now; absent while nothing does. */
  readonly verdict?: "success" | "failure" | undefined;
  /** How often in a row the last attempts ended the same way. */
  readonly consecutive: number;
  /** Absent before the first attempt on the container that runs now. */
  readonly last?: {
    readonly kind: string;
    readonly message: string;
    readonly time: string;
  } | undefined;
  /** Why nothing is asked at present; absent while it is. */
  readonly paused?: string | undefined;
}
