/**
 * Reports what is wrong with manifests, each fault once.
 *
 * @module
 */

import type { EventSink, PodRef } from "../../api/types/mod.ts";
import { type Fault, formatFault } from "../../api/fault/mod.ts";
import { formatObjectId, podRef } from "../../api/objects/mod.ts";
import { workloadId, type WorkloadManifest } from "../../api/workload/mod.ts";
import { type Clock, momentOf } from "../../base/mod.ts";
import type {
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import {
  type CheckpointFailure,
  type DescribedReport,
  type FileReport,
  type SourceCondition,
  SourceConditions,
} from "../mod.ts";

/** What {@linkcode FileReporter} writes to. */
export interface FileReporterDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
}

/**
 * Turns reports into log lines, events and metrics.
 *
 * Metrics always show the present. A line and an event come once for each new
 * fault, and for one file at most once a minute, however often it changes.
 */
export class FileReporter {
  readonly #nodeName: string;
  readonly #deps: FileReporterDeps;
  readonly #gauges: Readonly<Record<GaugeName, Gauge>>;
  readonly #published = new Map<string, PublishedReport>();
  readonly #conditions: SourceConditions;
  #reports: readonly FileReport[] = [];

  /** @param nodeName Ends the names of the pods of this node. */
  constructor(nodeName: string, deps: FileReporterDeps) {
    this.#nodeName = nodeName.toLowerCase();
    this.#deps = deps;
    this.#conditions = new SourceConditions(momentOf(deps.clock));
    const labelNames = ["file"];
    const { metrics } = deps;
    this.#gauges = {
      invalid: metrics.gauge(
        "skerry_manifest_invalid",
        "1 for each manifest file that is invalid or cannot be read.",
        labelNames,
      ),
      duplicate: metrics.gauge(
        "skerry_manifest_duplicate",
        "1 for each manifest file with a pod or an object that another file has as well.",
        labelNames,
      ),
      unreachable: metrics.gauge(
        "skerry_manifest_source_unreachable",
        "1 while the manifest directory or file itself cannot be read.",
        labelNames,
      ),
    };
  }

  /** Takes all there is to report at present; to be called now and then, changed or not. */
  update(reports: readonly FileReport[]): void {
    this.#reports = reports;
    const described = reports.map((report) => ({
      report,
      text: describe(report),
    }));
    const current = new Map(described.map((one) => [keyOf(one.report), one]));
    for (const [key, published] of this.#published) {
      if (!current.has(key)) this.#clear(key, published);
    }
    const untold = untoldOf([...current.values()].map(({ report }) => report));
    for (const [key, one] of current) {
      const pods = untold.has(one.report) ? [] : this.#podsOf(one.report);
      this.#show(key, one, pods);
    }
    this.#conditions.update(described, momentOf(this.#deps.clock));
  }

  /** What there was to report last. */
  get reports(): readonly FileReport[] {
    return this.#reports;
  }

  /** How well the source does, as reported last; empty before the first report. */
  conditions(
    failure: CheckpointFailure | undefined,
  ): readonly SourceCondition[] {
    return this.#conditions.list(momentOf(this.#deps.clock), failure);
  }

  #show(
    key: string,
    { report, text }: DescribedReport,
    pods: readonly PodRef[],
  ): void {
    const { file } = report;
    this.#gauges[GAUGES[report.kind]].set(1, { file });
    const published = this.#published.get(key);
    const nowMs = this.#deps.clock.monotonic();
    if (published?.text === text) return;
    if (published !== undefined && nowMs - published.atMs < REPEAT_AFTER_MS) {
      // Published when the minute is over, if it still holds then.
      this.#published.set(key, { ...published, report });
      return;
    }
    this.#published.set(key, { report, text, atMs: nowMs });
    this.#deps.log.warn(MESSAGES[report.kind], { file, reason: text });
    for (const pod of pods) {
      this.#deps.events.record(pod, {
        type: "Warning",
        reason: "FailedValidation",
        message: `Cannot apply the manifest "${file}": ${text}`,
        facts: { kind: "broken_manifest", file },
      });
    }
  }

  #clear(key: string, published: PublishedReport): void {
    const { file, kind } = published.report;
    const nowMs = this.#deps.clock.monotonic();
    this.#gauges[GAUGES[kind]].delete({ file });
    if (published.text !== undefined) {
      this.#deps.log.info("manifest_fault_cleared", { file });
    }
    if (nowMs - published.atMs >= REPEAT_AFTER_MS) this.#published.delete(key);
    else this.#published.set(key, { ...published, text: undefined });
  }

  #podsOf(report: FileReport): readonly PodRef[] {
    switch (report.kind) {
      case "refused":
        return report.named.map(({ name, namespace = "default" }) => ({
          name: `${name}-${this.#nodeName}`,
          namespace,
          // A pod that was never accepted has none.
          uid: "",
        }));
      case "last_good":
        return [
          ...report.pods.map(podRef),
          ...(report.workloads ?? []).map(workloadRef),
        ];
      case "duplicate_object":
        // An object has no events: the pods that may miss it get them.
        return report.pods.map(podRef);
      case "duplicate":
        return [podRef(report.pod)];
      case "unreachable":
        return [];
    }
  }
}

/** What makes pods, as events name it; its UID is its store's. */
function workloadRef(workload: WorkloadManifest): PodRef {
  const { apiVersion } = workload;
  return { apiVersion, ...workloadId(workload), uid: "" };
}

interface PublishedReport {
  readonly report: FileReport;
  /** What was published and not taken back; undefined once it was. */
  readonly text: string | undefined;
  /** When something was published of it last. */
  readonly atMs: number;
}

const REPEAT_AFTER_MS = 60_000;

/**
 * The reports that become no events: of many objects that a file has although another has
 * them, the first few do. Each is told to all pods of the file.
 */
function untoldOf(reports: readonly FileReport[]): ReadonlySet<FileReport> {
  const byFile = Map.groupBy(
    reports.filter(({ kind }) => kind === "duplicate_object"),
    ({ file }) => file,
  );
  return new Set(
    [...byFile.values()].flatMap((all) => all.slice(SHOWN_FAULTS)),
  );
}

const MESSAGES: Readonly<Record<FileReport["kind"], string>> = {
  refused: "manifest_refused",
  last_good: "manifest_invalid_last_good_kept",
  duplicate: "manifest_duplicate_pod",
  duplicate_object: "manifest_duplicate_object",
  unreachable: "manifest_source_unreachable",
};

type GaugeName = "invalid" | "duplicate" | "unreachable";

const GAUGES: Readonly<Record<FileReport["kind"], GaugeName>> = {
  refused: "invalid",
  last_good: "invalid",
  duplicate: "duplicate",
  duplicate_object: "duplicate",
  unreachable: "unreachable",
};

function keyOf(report: FileReport): string {
  const of = report.kind === "duplicate"
    ? report.pod.metadata.uid
    : report.kind === "duplicate_object"
    ? formatObjectId(report.object)
    : "";
  return `${GAUGES[report.kind]} ${report.file} ${of}`;
}

function describe(report: FileReport): string {
  switch (report.kind) {
    case "refused": {
      const faults = describeFaults(report.faults);
      return report.unknown === undefined
        ? faults
        : `${faults}; what it gave last is not known and not ended: ${report.unknown}`;
    }
    case "last_good":
      return `${describeFaults(report.faults)}; its last good version runs on`;
    case "duplicate": {
      const { name, namespace, uid } = report.pod.metadata;
      return report.field === "name"
        ? `file "${report.of}" has a pod "${namespace}/${name}" as well and had it first`
        : `file "${report.of}" has a pod of UID "${uid}" as well and had it first`;
    }
    case "duplicate_object": {
      const name = formatObjectId(report.object);
      return `file "${report.of}" has the object "${name}" as well and had it first`;
    }
    case "unreachable":
      return report.message;
  }
}

// A line of the log and an event hold a few; the rest shows in `skerry validate`.
const SHOWN_FAULTS = 3;

/** The first few faults in one line, and how many more there are. */
export function describeFaults(faults: readonly Fault[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(formatFault);
  const more = faults.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
