/**
 * The files that a container needs from the agent, and the logs it leaves.
 *
 * @module
 */

import { logDirectoryName, type Pod } from "../api/mod.ts";
import type { Random } from "../base/mod.ts";
import type { ObservedContainer, ObservedPod } from "../pod/mod.ts";
import type { RuntimeFiles } from "./ports.ts";

/** Where pods keep their things on the node. */
export interface PodPaths {
  /** Each pod has a directory here, named by its UID. */
  readonly podsDir: string;
  /** Each pod has a log directory here, `<namespace>_<name>_<uid>`. */
  readonly podLogsDir: string;
}

/** Of the termination message files of one container, the newest are kept. */
const KEPT_TERMINATION_LOGS = 2;

const HOSTS_MODE = 0o644;

/** Makes, reads and removes the files of containers. */
export class ContainerFiles {
  readonly #files: RuntimeFiles;
  readonly #random: Random;
  readonly #paths: PodPaths;
  /** Per container directory the termination files made by this agent, oldest first. */
  readonly #made = new Map<string, readonly string[]>();

  constructor(
    deps: { readonly files: RuntimeFiles; readonly random: Random },
    paths: PodPaths,
  ) {
    this.#files = deps.files;
    this.#random = deps.random;
    this.#paths = paths;
  }

  /** Makes the pod's log directory and that of each container named. */
  async prepareLogs(pod: Pod, containers: readonly string[]): Promise<void> {
    const directory = this.#logDirectory(pod);
    // One by one the first would make the parent, the rest find it: together is safe too.
    await Promise.all(
      containers.map((name) =>
        this.#files.makeDirectory(`${directory}/${name}`, 0o755)
      ),
    );
  }

  /**
   * Makes an empty file for a container's last words.
   *
   * Everyone may write to it: the container's user is unknown.
   *
   * @returns its path
   */
  async makeTerminationLog(pod: Pod, container: string): Promise<string> {
    const directory = this.#containerDirectory(pod.metadata.uid, container);
    await this.#files.makeDirectory(directory, 0o750);
    const name = Math.floor(this.#random.next() * 2 ** 32)
      .toString(16).padStart(8, "0");
    await this.#files.write(`${directory}/${name}`, "", 0o666);
    const made = [...this.#made.get(directory) ?? [], name];
    this.#made.set(directory, made);
    return `${directory}/${name}`;
  }

  /** Removes termination message files that no kept container can own. */
  async pruneTerminationLogs(uid: string, container: string): Promise<void> {
    const directory = this.#containerDirectory(uid, container);
    const kept = this.#made.get(directory)?.slice(-KEPT_TERMINATION_LOGS) ?? [];
    // Files of an agent before this one: which is the newest is not known.
    if (kept.length < KEPT_TERMINATION_LOGS) return;
    this.#made.set(directory, kept);
    for (const name of await this.#files.list(directory)) {
      if (!kept.includes(name)) {
        await this.#files.remove(`${directory}/${name}`);
      }
    }
  }

  /** Where the pod's hosts file lies. */
  hostsFilePath(pod: Pod): string {
    return `${this.#paths.podsDir}/${pod.metadata.uid}/etc-hosts`;
  }

  /**
   * Writes the pod's hosts file in place: containers that mount it see the change.
   * Nothing is written when nothing changes.
   */
  async writeHostsFile(pod: Pod, content: string): Promise<void> {
    const path = this.hostsFilePath(pod);
    if (await this.#files.writeNew(path, content, HOSTS_MODE)) return;
    // A container may have made it any size: no more is read than can be equal.
    const expected = new TextEncoder().encode(content);
    const found = await this.#files.readTail(path, expected.length + 1);
    if (found !== undefined && sameBytes(found, expected)) return;
    await this.#files.write(path, content, HOSTS_MODE);
  }

  /**
   * How often a container was restarted, as its log files tell when the runtime
   * has forgotten it: one more than the highest number, 0 without any.
   */
  async restartCountFromLogs(pod: Pod, container: string): Promise<number> {
    const directory = `${this.#logDirectory(pod)}/${container}`;
    let next = 0;
    for (const name of await this.#files.list(directory)) {
      const number = /^(\d{1,9})\.log(?:\..*)?$/.exec(name)?.[1];
      if (number !== undefined) next = Math.max(next, Number(number) + 1);
    }
    return next;
  }

  /** Removes the log of one container, rotated parts included. */
  async removeLog(
    pod: Pick<ObservedPod, "name" | "namespace" | "uid">,
    container: Pick<ObservedContainer, "logPath">,
  ): Promise<void> {
    const { namespace, name, uid } = pod;
    const [directory = "", file = ""] = container.logPath.split("/");
    const podDirectory = `${namespace}_${name}_${uid}`;
    if (![podDirectory, directory, file].every(isPlainName)) return;
    const parent = `${this.#paths.podLogsDir}/${podDirectory}/${directory}`;
    for (const found of await this.#files.list(parent)) {
      if (!found.startsWith(file)) continue;
      await this.#files.remove(`${parent}/${found}`);
    }
  }

  /** Removes all logs of a pod; by its UID alone when its name is not known. */
  async removePodLogs(
    pod: Pick<ObservedPod, "name" | "namespace" | "uid">,
  ): Promise<void> {
    const { namespace, name, uid } = pod;
    const { podLogsDir } = this.#paths;
    if (isPlainName(name) && isPlainName(namespace)) {
      const directory = `${namespace}_${name}_${uid}`;
      return await this.#files.remove(`${podLogsDir}/${directory}`);
    }
    for (const found of await this.#files.list(podLogsDir)) {
      if (!found.endsWith(`_${uid}`)) continue;
      await this.#files.remove(`${podLogsDir}/${found}`);
    }
  }

  /** Forgets what is remembered of a pod that is gone. */
  forget(uid: string): void {
    const prefix = `${this.#paths.podsDir}/${uid}/`;
    for (const directory of this.#made.keys()) {
      if (directory.startsWith(prefix)) this.#made.delete(directory);
    }
  }

  #logDirectory(pod: Pod): string {
    return `${this.#paths.podLogsDir}/${logDirectoryName(pod)}`;
  }

  #containerDirectory(uid: string, container: string): string {
    return `${this.#paths.podsDir}/${containerDirectory(uid, container)}`;
  }
}

/** Where a container keeps its things, below the directory of all pods. Pure. */
export function containerDirectory(uid: string, container: string): string {
  return `${uid}/containers/${container}`;
}

/** The names come from a runtime: they may not lead out of the log directory. */
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
