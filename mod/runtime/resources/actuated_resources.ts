/**
 * What running containers were last given, remembered across agents.
 *
 * @module
 */

import { defined, isRecord, type Sessions } from "../../base/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { parseQuantity } from "../../api/objects/mod.ts";
import type { PodRecords, RecordSection } from "../../host/files/mod.ts";
import type { ActuatedResources, ObservedPod } from "../../pod/observed/mod.ts";
import { isGeneratedUid, wantedPodResources } from "../../pod/plan/mod.ts";
import {
  type QosClass,
  qosClass,
  type ResourceList,
} from "../../pod/resources/mod.ts";

/** What is remembered of one pod. */
interface ResourcesRecord {
  readonly qosClass?: QosClass;
  /** Of the pod as a whole; absent in what older agents wrote. */
  readonly pod?: ActuatedResources;
  /** By name: only the newest container of a name matters. */
  readonly containers: ReadonlyMap<string, ContainerRecord>;
}

interface ContainerRecord {
  readonly id: string;
  readonly resources: ActuatedResources;
}

const NOTHING: ResourcesRecord = { containers: new Map() };

/**
 * Remembers the resources of containers, in the record of the pod.
 *
 * A disk that refuses keeps no pod from being looked at, and so from being restarted or
 * stopped: what is remembered is then not known, and is asked for at the next look.
 *
 * The runtime alone does not know enough: older ones report nothing, and none knows
 * what memory was requested. Only pods whose manifest has a UID are written down,
 * since every change of another gives it a new one.
 */
export class ActuatedStore {
  readonly #disk: RecordSection;
  readonly #records: Map<string, ResourcesRecord>;

  constructor(
    deps: {
      readonly records: Pick<PodRecords, "section">;
      readonly sessions: Sessions;
    },
  ) {
    this.#records = deps.sessions.map();
    // After a power cut the pod has other containers.
    this.#disk = deps.records.section("resources", () => false);
  }

  /** The same pod with what is remembered of its containers and its class. */
  async complete(observed: ObservedPod): Promise<ObservedPod> {
    if (observed.containers.length + observed.sandboxes.length === 0) {
      return observed;
    }
    const record = await this.#record(observed.uid);
    const { qosClass, pod, containers } = record;
    return {
      ...observed,
      ...defined({ qosClass, podResources: pod }),
      containers: observed.containers.map((seen) => {
        const known = containers.get(seen.name);
        return known?.id === seen.id
          ? { ...seen, resources: known.resources }
          : seen;
      }),
    };
  }

  /** A sandbox was made, in the cgroup of the pod's class. */
  async sandboxMade(pod: Pod): Promise<void> {
    await this.#keep(pod.metadata.uid, {
      qosClass: qosClass(pod),
      pod: wantedPodResources(pod),
      containers: new Map(),
    });
  }

  /** The pod as a whole has what it says now. */
  async podResized(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    const record = await this.#record(uid);
    await this.#keep(uid, { ...record, pod: wantedPodResources(pod) });
  }

  /** A container has these resources now. */
  async resized(
    pod: Pod,
    container: { readonly id: string; readonly name: string },
    resources: ActuatedResources,
  ): Promise<void> {
    const { uid } = pod.metadata;
    const record = await this.#record(uid);
    const containers = new Map(record.containers);
    containers.set(container.name, { id: container.id, resources });
    await this.#keep(uid, { ...record, containers });
  }

  async #record(uid: string): Promise<ResourcesRecord> {
    const held = this.#records.get(uid);
    if (held !== undefined) return held;
    // The pod has to be looked at, whether the disk says anything or not.
    const read = isGeneratedUid(uid)
      ? NOTHING
      : await this.#disk.read(uid).then(decode).catch(() => undefined);
    // There may have been a write meanwhile.
    const record = this.#records.get(uid) ?? read;
    // What the disk does not give now it may give at the next look.
    if (record === undefined) return NOTHING;
    this.#records.set(uid, record);
    return record;
  }

  async #keep(uid: string, record: ResourcesRecord): Promise<void> {
    this.#records.set(uid, record);
    if (isGeneratedUid(uid)) return;
    const containers = Object.fromEntries(record.containers);
    await this.#disk.write(uid, { ...record, containers });
  }
}

const CLASSES: readonly QosClass[] = ["Guaranteed", "Burstable", "BestEffort"];

/** Reads what an agent wrote; whatever is not of that shape is left out. */
function decode(value: unknown): ResourcesRecord {
  if (!isRecord(value)) return NOTHING;
  const qosClass = CLASSES.find((each) => each === value["qosClass"]);
  const containers = new Map<string, ContainerRecord>();
  const entries = isRecord(value["containers"]) ? value["containers"] : {};
  for (const [name, entry] of Object.entries(entries)) {
    if (!isRecord(entry)) continue;
    const resources = decodeResources(entry["resources"]);
    const { id } = entry;
    if (typeof id !== "string" || resources === undefined) continue;
    containers.set(name, { id, resources });
  }
  const pod = decodeResources(value["pod"]);
  return defined({ qosClass, pod, containers });
}

function decodeResources(value: unknown): ActuatedResources | undefined {
  if (!isRecord(value)) return undefined;
  return {
    requests: amounts(value["requests"]),
    limits: amounts(value["limits"]),
    ...(value["fromRuntime"] === true ? { fromRuntime: true } : {}),
  };
}

function amounts(value: unknown): ResourceList {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] =>
      isQuantity(entry[1])
    ),
  );
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    parseQuantity(value);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return false;
    }
    throw error;
  }
}
