/**
 * What the agent has to remember of containers that the runtime cannot tell.
 *
 * @module
 */

import {
  type EventSink,
  openRecord,
  type Pod,
  podRef,
  sealRecord,
} from "../api/mod.ts";
import { type Clock, describeError } from "../base/mod.ts";
import type {
  DeliberateStop,
  ObservedContainer,
  ObservedPod,
  StopNote,
} from "../pod/mod.ts";
import type { RuntimeFiles } from "./ports.ts";

/** What is remembered of the newest container of a name. */
interface Note {
  readonly id: string;
  readonly stop?: Stop;
  /** Its postStart hook was to run, and is not known to have ended. */
  readonly postStartDue?: true;
}

interface Stop {
  readonly as: DeliberateStop;
  /** One that ends later than that, by the wall clock, was not stopped after all. */
  readonly untilMs: number;
}

/** What keeping notes does to the disk. */
export type NoteFiles = Pick<
  RuntimeFiles,
  "makeDirectory" | "write" | "readTail"
>;

type Notes = ReadonlyMap<string, Note>;

const NOTHING: Notes = new Map();

/** A pod of a hundred containers needs a quarter of it. */
const MAX_BYTES = 64 << 10;

/** How much longer than its grace a container may take to be seen as ended. */
const SLACK_MS = 60_000;

/**
 * Remembers, in a file beside the pod's others, why the agent stopped a container and
 * which containers wait for their postStart hook. Both are written before it happens,
 * so that whoever comes next knows even if this agent ends in the midst of it.
 *
 * A disk that refuses stops nothing: this agent remembers in any case.
 */
export class ContainerNotes {
  readonly #files: NoteFiles;
  readonly #events: EventSink;
  readonly #clock: Clock;
  readonly #podsDir: string;
  readonly #notes = new Map<string, Notes>();

  constructor(
    deps: {
      readonly files: NoteFiles;
      readonly events: EventSink;
      readonly clock: Clock;
    },
    options: { readonly podsDir: string },
  ) {
    this.#files = deps.files;
    this.#events = deps.events;
    this.#clock = deps.clock;
    this.#podsDir = options.podsDir;
  }

  /** The same pod with what is remembered of its containers. */
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
    const notes = new Map(await this.#of(pod.metadata.uid));
    const untilMs = this.#clock.now() + options.graceSeconds * 1_000 + SLACK_MS;
    for (const { containerId: id, containerName, stopped } of stops) {
      const known = notes.get(containerName);
      notes.set(containerName, {
        ...(known?.id === id ? known : { id }),
        stop: { as: stopped, untilMs },
      });
    }
    await this.#keep(pod, notes);
  }

  /** A container with a postStart hook is about to be started. */
  async starting(pod: Pod, name: string, containerId: string): Promise<void> {
    const notes = new Map(await this.#of(pod.metadata.uid));
    notes.set(name, { id: containerId, postStartDue: true });
    await this.#keep(pod, notes);
  }

  /** The postStart hook of a container has done its work. */
  async postStartEnded(pod: Pod, name: string): Promise<void> {
    const notes = new Map(await this.#of(pod.metadata.uid));
    if (notes.get(name)?.postStartDue !== true) return;
    notes.delete(name);
    await this.#keep(pod, notes);
  }

  /** Forgets a pod; its file goes with its directory. */
  forget(uid: string): void {
    this.#notes.delete(uid);
  }

  async #of(uid: string): Promise<Notes> {
    const held = this.#notes.get(uid);
    if (held !== undefined) return held;
    const read = await this.#read(uid);
    // Somebody may have written meanwhile.
    const notes = this.#notes.get(uid) ?? read;
    this.#notes.set(uid, notes);
    return notes;
  }

  async #read(uid: string): Promise<Notes> {
    try {
      const bytes = await this.#files.readTail(this.#path(uid), MAX_BYTES);
      if (bytes === undefined) return NOTHING;
      return decode(openRecord(new TextDecoder().decode(bytes))?.record);
    } catch {
      // The pod has to be looked at whatever the disk says: as good as lost.
      return NOTHING;
    }
  }

  async #keep(pod: Pod, notes: Notes): Promise<void> {
    const { uid } = pod.metadata;
    this.#notes.set(uid, notes);
    const { text } = sealRecord({ containers: Object.fromEntries(notes) });
    try {
      await this.#files.makeDirectory(`${this.#podsDir}/${uid}`, 0o750);
      await this.#files.write(this.#path(uid), text, 0o600);
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

  #path(uid: string): string {
    return `${this.#podsDir}/${uid}/containers.json`;
  }
}

function withNote(seen: ObservedContainer, notes: Notes): ObservedContainer {
  const note = notes.get(seen.name);
  const { stopped: _stopped, postStartDue: _due, ...plain } = seen;
  if (note?.id !== seen.id) return plain;
  const { stop, postStartDue } = note;
  const isStopped = stop !== undefined && seen.state === "exited" &&
    seen.finishedAt <= BigInt(Math.ceil(stop.untilMs)) * 1_000_000n;
  return {
    ...plain,
    ...(isStopped ? { stopped: stop.as } : {}),
    ...(postStartDue === true && seen.state === "running"
      ? { postStartDue }
      : {}),
  };
}

const STOPS: readonly DeliberateStop[] = ["to_restart", "as_failed"];

/** Reads what an agent wrote; whatever is not of that shape is left out. */
function decode(value: unknown): Notes {
  if (!isRecord(value) || !isRecord(value["containers"])) return NOTHING;
  return new Map(
    Object.entries(value["containers"]).flatMap(([name, entry]) => {
      const note = decodeNote(entry);
      return note === undefined ? [] : [[name, note] as const];
    }),
  );
}

function decodeNote(entry: unknown): Note | undefined {
  if (!isRecord(entry) || typeof entry["id"] !== "string") return undefined;
  const stop = decodeStop(entry["stop"]);
  return {
    id: entry["id"],
    ...(stop === undefined ? {} : { stop }),
    ...(entry["postStartDue"] === true ? { postStartDue: true } : {}),
  };
}

function decodeStop(value: unknown): Stop | undefined {
  if (!isRecord(value)) return undefined;
  const as = STOPS.find((each) => each === value["as"]);
  const { untilMs } = value;
  return as === undefined || typeof untilMs !== "number"
    ? undefined
    : { as, untilMs };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
