/**
 * The files that a container needs from the agent, and the logs it leaves.
 *
 * @module
 */

import { isPlainName } from "../../base/text/mod.ts";
import { logDirectoryName } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import type { RuntimeFiles } from "../spec/mod.ts";

/** Where pods keep their things on the node. */
export interface PodPaths {
  /** Each pod has a directory here, named by its UID. */
  readonly podsDir: string;
  /** Each pod has a log directory here, `<namespace>_<name>_<uid>`. */
  readonly podLogsDir: string;
}

/** One run of a container, as its record in the runtime shows it. */
export type ContainerRun = Pick<ObservedContainer, "name" | "restartCount">;

const HOSTS_MODE = 0o644;

/** Makes, reads and removes the files of containers. */
export class ContainerFiles {
  readonly #files: RuntimeFiles;
  readonly #paths: PodPaths;

  constructor(deps: { readonly files: RuntimeFiles }, paths: PodPaths) {
    this.#files = deps.files;
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
   * Where the last words of one run of a container go; named by the number of the run,
   * so that it is found when the run's record is removed.
   */
  terminationLog(uid: string, run: ContainerRun): string {
    const name = run.restartCount.toString(16).padStart(8, "0");
    return `${this.#containerDirectory(uid, run)}/${name}`;
  }

  /**
   * Makes an empty file for the last words of one run of a container, in place of one
   * that is left of an earlier try.
   *
   * Everyone may write to it: the container's user is unknown.
   */
  async makeTerminationLog(pod: Pod, run: ContainerRun): Promise<void> {
    const { uid } = pod.metadata;
    await this.#files.makeDirectory(this.#containerDirectory(uid, run), 0o750);
    await this.#files.write(this.terminationLog(uid, run), "", 0o666);
  }

  /** Removes the file of a run whose record is gone, or never came to be. */
  async removeTerminationLog(uid: string, run: ContainerRun): Promise<void> {
    if (![uid, run.name].every(isPlainName)) return;
    await this.#files.remove(this.terminationLog(uid, run));
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
   * How often a container was restarted, by its log files, when the runtime has
   * forgotten it: one more than the highest number, 0 without any.
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
    const [directory = "", file = ""] = container.logPath.split("/");
    const podDirectory = logDirectoryName({ metadata: pod });
    // The names come from a runtime: they may not lead out of the log directory.
    if (![podDirectory, directory, file].every(isPlainName)) return;
    const above = `${this.#paths.podLogsDir}/${podDirectory}`;
    const parent = `${above}/${directory}`;
    // A container may have put a link there, to the logs of others, and may do so while very
    // many files of its own are removed: it is looked at before each.
    const isOwn = async (): Promise<boolean> =>
      await this.#files.isDirectory(above) &&
      await this.#files.isDirectory(parent);
    if (!await isOwn()) return;
    for (const found of await this.#files.list(parent)) {
      if (!found.startsWith(file)) continue;
      if (!await isOwn()) return;
      await this.#files.remove(`${parent}/${found}`);
    }
  }

  /** Removes the logs that a UID has under one name; none when that is not known. */
  async removeNamedLogs(
    pod: Pick<ObservedPod, "name" | "namespace" | "uid">,
  ): Promise<void> {
    if (![pod.namespace, pod.name, pod.uid].every(isPlainName)) return;
    await this.#files.remove(this.#logDirectory({ metadata: pod }));
  }

  /** Removes all logs of a UID, whatever names it ever had. */
  async removePodLogs(uid: string): Promise<void> {
    const { podLogsDir } = this.#paths;
    for (const found of await this.#files.list(podLogsDir)) {
      if (!found.endsWith(`_${uid}`)) continue;
      await this.#files.remove(`${podLogsDir}/${found}`);
    }
  }

  #logDirectory(pod: Pick<Pod, "metadata">): string {
    return `${this.#paths.podLogsDir}/${logDirectoryName(pod)}`;
  }

  #containerDirectory(uid: string, { name }: ContainerRun): string {
    return `${this.#paths.podsDir}/${containerDirectory(uid, name)}`;
  }
}

/** Where a container keeps its things, below the directory of all pods. Pure. */
export function containerDirectory(uid: string, container: string): string {
  return `${uid}/containers/${container}`;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
