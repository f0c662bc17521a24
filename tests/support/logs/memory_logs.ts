/**
 * A directory of logs in memory, with a runtime that writes to them.
 *
 * @module
 */

import { CriError } from "../../../mod/cri/model/mod.ts";
import type { LogFiles, LogLook } from "../../../mod/logs/log_files.ts";
import { readLogNames } from "../../../mod/logs/mod.ts";
import type { LogRuntime, RunningLog } from "../../../mod/logs/mod.ts";

/** A file, whatever its names are. */
interface MemoryFile {
  readonly inode: number;
  lines: string[];
  /** Whether it ends in the middle. */
  isTorn: boolean;
}

/** What a step throws, and every step after it: the agent is dead. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** The directory of all logs. */
export const ROOT = "/logs";

/** The log of the only container. */
export const LOG: RunningLog = {
  pod: { name: "web", namespace: "shop", uid: "u" },
  container: "c",
  containerId: "id-c",
  podDirectory: "shop_web_u",
  directory: "c",
  file: "0.log",
};

/** Where it lies. */
export const DIRECTORY: string = `${ROOT}/shop_web_u/c`;

/**
 * Logs of which every step can be the last one, or fail. A container writes one line of 10
 * bytes at each step to the file that the runtime has open.
 */
export class MemoryLogs implements LogFiles, LogRuntime {
  readonly #names = new Map<string, MemoryFile>();
  #inodes = 0;
  #open: MemoryFile;
  #written = 0;
  /** The steps that were made, such as `rename 0.log`. */
  readonly steps: string[] = [];
  /** Whether the container writes at no step. */
  isIdle = false;
  /** The number of the step that is the last one. */
  lastStep: number = Infinity;
  /** What a step whose text begins so fails with. */
  readonly faults: Map<string, Error> = new Map();
  /** Whether a runtime that fails has opened the log all the same. */
  opensAndFails = false;
  /** Whether the runtime writes the log to another place. */
  isElsewhere = false;
  /** What keeps the log from being changed. */
  fault: string | undefined;

  /** Called at each look, and when a compressed copy is whole. */
  whenLooked: () => void = () => {};
  whenCompressed: () => void = () => {};

  constructor() {
    this.#open = this.#make(`${DIRECTORY}/${LOG.file}`);
  }

  /** Another agent comes, which lives. */
  revive(): void {
    this.lastStep = Infinity;
    this.steps.length = 0;
  }

  /** The container writes. */
  write(lines: number): void {
    for (let at = 0; at < lines; at++) {
      this.#open.lines.push(`line ${this.#written++}`);
    }
  }

  /** How many lines were written at all. */
  get written(): number {
    return this.#written;
  }

  /** The names in the directory of the log. */
  get names(): string[] {
    return [...this.#names.keys()].map((path) => path.split("/").at(-1) ?? "")
      .sort();
  }

  /** Puts a file there. */
  put(name: string, lines: readonly string[]): void {
    this.#make(`${DIRECTORY}/${name}`).lines.push(...lines);
  }

  /** Takes a file away. */
  take(name: string): void {
    this.#names.delete(`${DIRECTORY}/${name}`);
  }

  /** All lines that are part of the log, in order. */
  get lines(): string[] {
    const { rotated } = readLogNames(this.names, LOG.file);
    const files = [...rotated.map(({ name }) => name), LOG.file];
    return files.flatMap((name) => {
      const file = this.#names.get(`${DIRECTORY}/${name}`);
      if (file?.isTorn) throw new Error(`The file "${name}" is torn`);
      return file?.lines ?? [];
    });
  }

  look(root: string, place: RunningLog): Promise<LogLook> {
    const path =
      `${root}/${place.podDirectory}/${place.directory}/${place.file}`;
    this.#step(`look ${place.file}`);
    this.whenLooked();
    const file = this.#names.get(path);
    if (file === undefined) return Promise.resolve({ kind: "missing" });
    const names = this.#names.values().filter((each) => each === file);
    return Promise.resolve({
      kind: "file",
      bytes: file.lines.length * 10,
      inode: file.inode,
      names: [...names].length,
    });
  }

  wayFault(): Promise<string | undefined> {
    return Promise.resolve(this.fault);
  }

  // deno-lint-ignore require-await -- a failure is a rejection
  async list(_directory: string): Promise<readonly string[]> {
    this.#step("list");
    return this.names;
  }

  // deno-lint-ignore require-await -- see above
  async makeDirectory(_path: string): Promise<void> {
    this.#step("makeDirectory");
  }

  // deno-lint-ignore require-await -- see above
  async rename(from: string, to: string): Promise<void> {
    this.#step(`rename ${nameOf(from)}`);
    const file = this.#at(from);
    this.#names.delete(from);
    this.#names.set(to, file);
  }

  // deno-lint-ignore require-await -- see above
  async link(from: string, to: string): Promise<void> {
    this.#step(`link ${nameOf(from)}`);
    if (this.#names.has(to)) throw coded("EEXIST");
    this.#names.set(to, this.#at(from));
  }

  // deno-lint-ignore require-await -- see above
  async remove(path: string): Promise<void> {
    this.#step(`remove ${nameOf(path)}`);
    this.#names.delete(path);
  }

  async compress(from: string, to: string, signal: AbortSignal): Promise<void> {
    this.#step(`compress ${nameOf(from)}`);
    const { lines } = this.#at(from);
    if (this.#names.has(to)) throw coded("EEXIST");
    const file = this.#make(to);
    file.isTorn = true;
    file.lines = lines.slice(0, lines.length / 2);
    await Promise.resolve();
    signal.throwIfAborted();
    this.#step(`compressed ${nameOf(from)}`);
    file.lines = [...lines];
    file.isTorn = false;
    this.whenCompressed();
  }

  // deno-lint-ignore require-await -- see above
  async syncDirectory(_path: string): Promise<void> {
    this.#step("syncDirectory");
  }

  // deno-lint-ignore require-await -- see above
  async reopenContainerLog(containerId: string): Promise<void> {
    const fault = this.faults.get("reopen");
    if (fault === undefined || this.opensAndFails) {
      this.#step(`reopen`, true);
      const path = `${DIRECTORY}/${LOG.file}`;
      this.#open = this.isElsewhere
        ? this.#open
        : this.#names.get(path) ?? this.#make(path);
    } else this.steps.push("reopen");
    if (containerId !== LOG.containerId) {
      throw new CriError({ kind: "not_found", method: "x", detail: "none" });
    }
    if (fault !== undefined) throw fault;
  }

  #step(text: string, isFaultless = false): void {
    if (this.steps.length >= this.lastStep) throw new Killed();
    this.steps.push(text);
    if (!this.isIdle) this.write(1);
    const fault = this.faults.entries().find(([key]) => text.startsWith(key));
    if (fault !== undefined && !isFaultless) throw fault[1];
  }

  #make(path: string): MemoryFile {
    const file = { inode: ++this.#inodes, lines: [], isTorn: false };
    this.#names.set(path, file);
    return file;
  }

  #at(path: string): MemoryFile {
    const file = this.#names.get(path);
    if (file === undefined) throw coded("ENOENT");
    return file;
  }
}

/** A failure of the system. */
export function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? "";
}
