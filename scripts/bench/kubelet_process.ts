/**
 * A kubelet of its own in a process of its own, without an API server, on a private
 * runtime.
 *
 * @module
 */

import { applyManifest, makeOld } from "../lib/manifest_files.ts";
import { run } from "../lib/runtime_tools.ts";
import { pause } from "../lib/wait_until.ts";
import { keepMachine } from "./kernel_settings.ts";
import {
  complaintOf,
  hasSeenRuntime,
  kubeletArguments,
  kubeletConfig,
  manifestPathOf,
  rootPathOf,
} from "./kubelet_config.ts";

const ANSWER_LIMIT_MS = 60_000;
// Until it has seen its runtime, its loop pauses for longer and longer, up to that.
const LOOP_PAUSE_MS = 5_000;

const END_LIMIT_MS = 10_000;

/** How a kubelet is started. */
export interface KubeletOptions {
  /** The program. */
  readonly path: string;
  readonly runtimeSocket: string;
  readonly certDir: string;
  /** By which it joins a cluster. @default it runs alone */
  readonly kubeconfigPath?: string;
}

/** A kubelet that belongs to the caller; `await using` ends it. */
export class KubeletProcess implements AsyncDisposable {
  readonly #options: KubeletOptions;
  readonly #directory: string;
  readonly #healthzPort: number;
  readonly #machine: AsyncDisposable;
  #process: Deno.ChildProcess | undefined;
  #hasFailed = false;

  private constructor(
    options: KubeletOptions,
    parts: {
      readonly directory: string;
      readonly healthzPort: number;
      readonly machine: AsyncDisposable;
    },
  ) {
    this.#options = options;
    this.#directory = parts.directory;
    this.#healthzPort = parts.healthzPort;
    this.#machine = parts.machine;
  }

  /** Makes its directories and its config; nothing runs yet. */
  static async create(options: KubeletOptions): Promise<KubeletProcess> {
    const directory = await Deno.makeTempDir({ prefix: "skerry-kubelet-" });
    const [port = 0, healthzPort = 0] = freePorts(2);
    await Deno.mkdir(manifestPathOf(directory));
    const config = kubeletConfig({ ...options, directory, port, healthzPort });
    await Deno.writeTextFile(
      `${directory}/config.json`,
      JSON.stringify(config, undefined, 2),
    );
    const machine = await keepMachine();
    return new KubeletProcess(options, { directory, healthzPort, machine });
  }

  get pid(): number {
    if (this.#process === undefined) {
      throw new Error("Cannot name the kubelet's pid: it does not run");
    }
    return this.#process.pid;
  }

  /** Starts the process; its log goes to `kubelet.log` in its directory. */
  start(): void {
    // Through a shell only for the redirection: Deno cannot give a child a file.
    this.#process = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `log=$1; shift; exec "$@" >>"$log" 2>&1`,
        "sh",
        this.#log,
        this.#options.path,
        ...kubeletArguments({ ...this.#options, directory: this.#directory }),
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /**
   * Waits until it says that it is healthy, has seen its runtime and looks after pods.
   *
   * @throws {Error} when it ends or does not within a minute, with its log's path and last complaint
   */
  async untilAnswers(): Promise<void> {
    const child = this.#process;
    let ended: Deno.CommandStatus | undefined;
    child?.status.then((status) => ended = status);
    const until = performance.now() + ANSWER_LIMIT_MS;
    while (!await this.#isReady()) {
      if (ended !== undefined) await this.#fail(`it ended with ${ended.code}`);
      if (performance.now() > until) {
        await this.#fail(`no answer within ${ANSWER_LIMIT_MS} ms`);
      }
      await pause(50);
    }
    await pause(LOOP_PAUSE_MS);
  }

  async #isReady(): Promise<boolean> {
    return await isHealthy(this.#healthzPort) &&
      hasSeenRuntime(await Deno.readTextFile(this.#log));
  }

  async #fail(found: string): Promise<never> {
    this.#hasFailed = true;
    const log = await Deno.readTextFile(this.#log).catch(() => "");
    throw new Error(
      `Cannot start the kubelet "${this.#options.path}": ${found}; see "${this.#log}", which says: ${
        complaintOf(log)
      }`,
    );
  }

  get #log(): string {
    return `${this.#directory}/kubelet.log`;
  }

  /** Puts a manifest into its directory: written beside, then renamed in. */
  async apply(name: string, manifest: object): Promise<void> {
    await applyManifest(this.#manifest(name), {
      manifest,
      draft: `${this.#directory}/.${name}.new`,
    });
  }

  /** The same as if it were there for a minute. */
  async applyLongAgo(name: string, manifest: object): Promise<void> {
    await this.apply(name, manifest);
    await makeOld(this.#manifest(name));
  }

  async removeManifest(name: string): Promise<void> {
    await Deno.remove(this.#manifest(name));
  }

  #manifest(name: string): string {
    return `${manifestPathOf(this.#directory)}/${name}`;
  }

  /** SIGTERMs it, and SIGKILLs it when it takes too long; its pods go on. */
  async terminate(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const kill = setTimeout(() => end(child, "SIGKILL"), END_LIMIT_MS);
    end(child, "SIGTERM");
    await child.status;
    clearTimeout(kill);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
    await this.#machine[Symbol.asyncDispose]();
    await run("umount", ["--lazy", rootPathOf(this.#directory)]);
    // The log of one that did not come up is needed.
    if (!this.#hasFailed) {
      await Deno.remove(this.#directory, { recursive: true });
    }
  }
}

function end(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already.
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Nobody listens yet.
    return false;
  }
}

/** Ports that nobody uses now, all different. */
function freePorts(count: number): number[] {
  const listeners = Array.from(
    { length: count },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  const ports = listeners.map(({ addr }) => addr.port);
  for (const listener of listeners) listener.close();
  return ports;
}
