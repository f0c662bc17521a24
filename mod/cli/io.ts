/**
 * What commands need of the process that they run in.
 *
 * @module
 */

import { basename } from "node:path";
import { Bell, ByteBuffer, type Clock, systemClock } from "../base/mod.ts";
import type { ConfigIo } from "../config/mod.ts";

/** The outside of a command: its streams, files, clock and signals. */
export interface CliIo extends ConfigIo {
  readonly clock: Clock;
  /** Writes to standard output. @throws {OutputClosedError} */
  out(data: string | Uint8Array): Promise<void>;
  /** Writes one line to standard error. */
  err(line: string): Promise<void>;
  readStdin(maxBytes: number): Promise<Uint8Array>;
  /** A scope whose signal aborts when the process is asked to stop. */
  stopRequests(): { readonly signal: AbortSignal } & Disposable;
  /** A scope in which it is heard when the process is asked to reload. */
  reloadRequests(): ReloadRequests;
}

/** Requests to reload; several that come together are one. */
export interface ReloadRequests extends Disposable {
  /**
   * Waits for the next one.
   *
   * @throws {unknown} the reason of `signal` when it aborts first
   */
  next(signal: AbortSignal): Promise<void>;
}

/** The reader of the output has left, as `head` does. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** The real process. */
export function systemIo(): CliIo {
  return {
    clock: systemClock,
    cwd: () => Deno.cwd(),
    hostname: () => Deno.hostname(),
    readTextFile: (path) => Deno.readTextFile(path),
    listFiles,
    out: (data) => writeAll(Deno.stdout, data),
    err: (line) => writeAll(Deno.stderr, `${line}\n`),
    readStdin,
    stopRequests,
    reloadRequests,
  };
}

/** The paths of all files in a directory and below it, in the order of their paths. */
export async function listFiles(directory: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) paths.push(...await listFiles(path));
    else paths.push(path);
  }
  return paths.sort();
}

/**
 * The arguments of this process. A program that is called `kubelet` takes the flags of one.
 *
 * @param program how it was called
 */
export function argumentsOf(
  program: string,
  args: readonly string[],
): readonly string[] {
  return basename(program) === "kubelet" ? ["kubelet", ...args] : args;
}

async function writeAll(
  output: Pick<typeof Deno.stdout, "write">,
  data: string | Uint8Array,
): Promise<void> {
  let rest = typeof data === "string" ? new TextEncoder().encode(data) : data;
  try {
    while (rest.length > 0) rest = rest.subarray(await output.write(rest));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    throw new OutputClosedError("Cannot write: nobody reads the output", {
      cause: error,
    });
  }
}

async function readStdin(maxBytes: number): Promise<Uint8Array> {
  const piece = new Uint8Array(64 * 1024);
  // One byte more, by which it is seen that there was too much.
  const input = new ByteBuffer({ maxBytes: maxBytes + 1 });
  while (input.left > 0) {
    const count = await Deno.stdin.read(piece);
    if (count === null) break;
    input.add(piece.subarray(0, Math.min(count, input.left)));
  }
  return input.bytes;
}

function stopRequests(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = () =>
    controller.abort(new DOMException("Stopped", "AbortError"));
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) Deno.removeSignalListener(signal, stop);
    },
  };
}

function reloadRequests(): ReloadRequests {
  const bell = new Bell();
  let isAsked = false;
  const ask = (): void => {
    isAsked = true;
    bell.ring();
  };
  Deno.addSignalListener("SIGHUP", ask);
  return {
    async next(signal) {
      while (!isAsked) {
        signal.throwIfAborted();
        await bell.wait(signal);
      }
      isAsked = false;
    },
    [Symbol.dispose]: () => Deno.removeSignalListener("SIGHUP", ask),
  };
}
