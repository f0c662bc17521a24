/**
 * What the agent must remember of containers, since the runtime does not report it.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import type { PodRecords, RecordSection } from "../../host/files/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { type Clock, isRecord } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type {
  DeliberateStop,
  ObservedContainer,
  ObservedPod,
} from "../../pod/observed/mod.ts";
import type { StopNote } from "../../pod/plan/mod.ts";

/** What is remembered of one container. */
interface Note {
  readonly name: string;
  readonly stop?: Stop;
  /** Its postStart hook was to run, and is not known to have ended. */
  readonly postStartDue?: true;
}

/** Wall times in milliseconds; what ended earlier or later was not stopped after all. */
interface Stop {
  readonly as: DeliberateStop;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** By the id that the runtime gave, the oldest first. */
type Notes = ReadonlyMap<string, Note>;

const NOTHING: Notes = new Map();

/** One that ended, its successor that may come to nothing, and one left by a lost answer. */
const MAX_PER_NAME = 3;

/** Those of a pod of a hundred containers. */
const MAX_NOTES = 300;

/** How much longer than its grace a container may take to be seen as ended. */
const SLACK_MS = 60_000;

/**
 * Remembers, in the record of the pod, why the agent stopped a container and which
 * containers wait for their postStart hook. Both are written before it happens, so the next
 * agent knows them even if this one ends, or power is lost, in the middle. A note is about
 * one container. The note of its successor does not replace it, since the successor may
 * never run.
 *
 * A disk that refuses stops nothing: this agent remembers in any case.
 */
export class ContainerNotes {
  readonly #records: RecordSection;
  readonly #events: EventSink;
  readonly #clock: Clock;

  constructor(
    deps: {
      readonly records: Pick<PodRecords, "section">;
      readonly events: EventSink;
      readonly clock: Clock;
    },
  ) {
    this.#events = deps.events;
    this.#clock = deps.clock;
    // A hook that is due goes with its container when power is lost.
    this.#records = deps.records.section(
      "containers",
      (value) => decode(value).values().some(({ stop }) => stop !== undefined),
    );
  }

  /**
   * The same pod with what is remembered of its containers.
   *
   * @throws {Error} when the disk does not say; a few times, so that a fault that goes
   * by decides nothing, and a disk that is broken for good holds up no pod
   */
  async complete(observed: ObservedPod): Promise<ObservedPod> {
    if (observed.containers.length === 0) return observed;
    const notes = await this.#of(observed.uid);
    return {
      ...observed,
      containers: observed.containers.map((seen) => withNote(seen, notes)),
    };
  }

  /** These containers are about to be stopped. */
  async stopping(
    pod: Pod,
    stops: readonly StopNote[],
    options: { readonly graceSeconds: number },
  ): Promise<void> {
    if (stops.length === 0) return;
    const notes = new Map(await this.#known(pod.metadata.uid));
    const nowMs = this.#clock.now();
    const graceMs = options.graceSeconds * 1_000;
    let isNew = false;
    for (const { containerId: id, containerName: name, stopped } of stops) {
      const known = notes.get(id);
      const isRecent = known?.stop !== undefined &&
        known.stop.untilMs + SLACK_MS >= nowMs;
      const before = isRecent ? known.stop : undefined;
      // One that does not want to end is stopped again and again.
      const isNoted = before?.as === stopped &&
        before.untilMs >= nowMs + graceMs;
      if (isNoted) continue;
      isNew = true;
      const sinceMs = before?.sinceMs ?? Math.floor(nowMs);
      const untilMs = nowMs + graceMs + SLACK_MS;
      notes.delete(id);
      notes.set(id, {
        ...known,
        name,
        stop: { as: stopped, sinceMs, untilMs },
      });
    }
    if (isNew) await this.#keep(pod, notes);
  }

  /** A container with a postStart hook is about to be started. */
  async starting(pod: Pod, name: string, containerId: string): Promise<void> {
    const notes = new Map(await this.#known(pod.metadata.uid));
    notes.set(containerId, { name, postStartDue: true });
    await this.#keep(pod, notes);
  }

  /**
   * A container was started, so the notes of its predecessors are dropped. The disk
   * loses them with the next write.
   */
  async started(pod: Pod, name: string, containerId: string): Promise<void> {
    const { uid } = pod.metadata;
    const known = await this.#known(uid);
    const notes = [...known].filter(([id, note]) =>
      id === containerId || note.name !== name
    );
    if (notes.length === known.size) return;
    this.#records.hold(uid, { containers: Object.fromEntries(notes) });
  }

  /** The postStart hook of a container has done its work. */
  async postStartEnded(pod: Pod, containerId: string): Promise<void> {
    const known = await this.#known(pod.metadata.uid);
    const note = known.get(containerId);
    if (note?.postStartDue !== true) return;
    // It runs, so the notes of its predecessors are dropped.
    const notes = new Map(
      [...known].filter(([, { name }]) => name !== note.name),
    );
    const { name, stop } = note;
    if (stop !== undefined) notes.set(containerId, { name, stop });
    await this.#keep(pod, notes);
  }

  async #of(uid: string): Promise<Notes> {
    return decode(await this.#records.read(uid));
  }

  /** The notes before a write; none if the disk cannot be read. */
  async #known(uid: string): Promise<Notes> {
    try {
      return await this.#of(uid);
    } catch {
      return NOTHING;
    }
  }

  async #keep(pod: Pod, all: Notes): Promise<void> {
    const { uid } = pod.metadata;
    const record = { containers: Object.fromEntries(newest(all)) };
    try {
      await this.#records.write(uid, record);
    } catch (error) {
      this.#events.record(podRef(pod), {
        type: "Warning",
        reason: "FailedCheckpoint",
        message:
          `Cannot keep notes on the containers for a restart of the agent: ${
            describeError(error)
          }`,
      });
    }
  }
}

/** Without the oldest, where there are more than can matter. */
function newest(notes: Notes): Notes {
  const counts = new Map<string, number>();
  const kept = [...notes].reverse().filter(([, { name }]) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= MAX_PER_NAME;
  });
  return new Map(kept.slice(0, MAX_NOTES).reverse());
}

function withNote(seen: ObservedContainer, notes: Notes): ObservedContainer {
  const { stopped: _stopped, postStartDue: _due, ...plain } = seen;
  const { stop, postStartDue } = notes.get(seen.id) ?? {};
  const isStopped = stop !== undefined && seen.state === "exited" &&
    endedWithin(seen, stop);
  return {
    ...plain,
    ...(isStopped ? { stopped: stop.as } : {}),
    ...(postStartDue === true && seen.state === "running"
      ? { postStartDue }
      : {}),
  };
}

/** It may have ended by itself before it was stopped, or long after that was given up. */
function endedWithin(
  { finishedAt }: ObservedContainer,
  { sinceMs, untilMs }: Stop,
): boolean {
  // Some runtimes lose the time.
  if (finishedAt === 0n) return true;
  return finishedAt >= BigInt(sinceMs) * 1_000_000n &&
    finishedAt <= BigInt(Math.ceil(untilMs)) * 1_000_000n;
}

const STOPS: readonly DeliberateStop[] = ["to_restart", "as_failed"];

/** Reads what an agent wrote; whatever is not of that shape is left out. */
function decode(value: unknown): Notes {
  if (!isRecord(value) || !isRecord(value["containers"])) return NOTHING;
  return new Map(
    Object.entries(value["containers"]).flatMap(([id, entry]) => {
      const note = decodeNote(entry);
      return note === undefined ? [] : [[id, note] as const];
    }),
  );
}

function decodeNote(entry: unknown): Note | undefined {
  if (!isRecord(entry) || typeof entry["name"] !== "string") return undefined;
  const stop = decodeStop(entry["stop"]);
  return {
    name: entry["name"],
    ...(stop === undefined ? {} : { stop }),
    ...(entry["postStartDue"] === true ? { postStartDue: true } : {}),
  };
}

function decodeStop(value: unknown): Stop | undefined {
  if (!isRecord(value)) return undefined;
  const as = STOPS.find((each) => each === value["as"]);
  const { sinceMs, untilMs } = value;
  return as === undefined || typeof untilMs !== "number" ||
      !Number.isInteger(sinceMs) || typeof sinceMs !== "number"
    ? undefined
    : { as, sinceMs, untilMs };
}
