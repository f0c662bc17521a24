/**
 * An agent in a process of its own, under the locked permission set, with
 * directories of its own: what the e2e tests, the demo and the bench run.
 *
 * @module
 */

import type { Pod } from "../../mod/api/types/mod.ts";
import { agentBundle } from "../bundle.ts";
import { lockedRunFlags } from "../permissions.ts";
import { applyManifest, makeOld } from "./manifest_files.ts";
import { PATIENCE_MS, waitUntil } from "./wait_until.ts";

/**
 * Where questions over the control socket seem to go. A name would be asked of the
 * network's name server, though the socket is known.
 */
const ORIGIN = "http://127.0.0.1";

/** How an agent is started. */
export interface AgentOptions {
  /** The runtime's socket. */
  readonly runtimeSocket: string;
  readonly podNetwork: string;
  /** @default a new temp directory, removed at dispose */
  readonly directory?: string;
  /** @default `<directory>/manifests` */
  readonly manifestPath?: string;
  /** @default "edge1" */
  readonly nodeName?: string;
  /** @default `<root directory>/run`, which is on the disk */
  readonly runDir?: string;
  /** Further arguments of `skerry run`. */
  readonly args?: readonly string[];
  /** What to run. @default the bundle, as it is shipped */
  readonly entry?: string;
  /** Where used permissions are written down, one JSON a line. */
  readonly auditFile?: string;
  /** Where Deno keeps its caches. @default its usual place */
  readonly denoDir?: string;
  /** Flags of `deno run` besides those that lock the agent. */
  readonly denoFlags?: readonly string[];
  /**
   * Arguments whose grants the agent gets instead of those of its own: the usual
   * ones of this directory and these.
   *
   * @default the grants of `args`
   */
  readonly grantsOf?: readonly string[];
}

/** An agent that belongs to the caller; `await using` ends it. */
export class AgentProcess implements AsyncDisposable {
  readonly directory: string;
  readonly manifestPath: string;
  readonly podLogsDir: string;
  readonly rootDir: string;
  readonly runDir: string;
  readonly socketPath: string;
  readonly #options: AgentOptions;
  #process: Deno.ChildProcess | undefined;
  #entry: string | undefined;
  #client: Deno.HttpClient;

  private constructor(options: AgentOptions, directory: string) {
    this.#options = options;
    this.#entry = options.entry;
    this.directory = directory;
    this.manifestPath = options.manifestPath ?? `${directory}/manifests`;
    this.podLogsDir = `${directory}/logs`;
    this.rootDir = `${directory}/root`;
    this.runDir = options.runDir ?? `${this.rootDir}/run`;
    this.socketPath = `${this.runDir}/skerry.sock`;
    this.#client = Deno.createHttpClient({
      proxy: { transport: "unix", path: this.socketPath },
    });
  }

  /** Makes the directories; nothing runs yet. */
  static async create(options: AgentOptions): Promise<AgentProcess> {
    const directory = options.directory ??
      await Deno.makeTempDir({ prefix: "skerry-agent-" });
    const agent = new AgentProcess(options, directory);
    await Deno.mkdir(agent.podLogsDir, { recursive: true });
    await Deno.mkdir(agent.rootDir, { recursive: true });
    if (options.manifestPath === undefined) {
      await Deno.mkdir(agent.manifestPath, { recursive: true });
    }
    return agent;
  }

  /** Makes the directories and starts the agent. */
  static async start(options: AgentOptions): Promise<AgentProcess> {
    const agent = await AgentProcess.create(options);
    await agent.start();
    return agent;
  }

  /** The arguments of `skerry run` for this agent. */
  get runArguments(): string[] {
    return this.#argumentsWith(this.#options.args ?? []);
  }

  /** The flags of `deno run` that lock this agent. */
  async lockedFlags(): Promise<string[]> {
    const { grantsOf, args = [] } = this.#options;
    return await lockedRunFlags(this.#argumentsWith(grantsOf ?? args));
  }

  #argumentsWith(further: readonly string[]): string[] {
    return [
      "run",
      `--root-dir=${this.rootDir}`,
      `--run-dir=${this.runDir}`,
      `--pod-manifest-path=${this.manifestPath}`,
      `--pod-logs-dir=${this.podLogsDir}`,
      `--container-runtime-endpoint=unix://${this.#options.runtimeSocket}`,
      `--pod-network=${this.#options.podNetwork}`,
      `--hostname-override=${this.#options.nodeName ?? "edge1"}`,
      "--healthz-port=0",
      ...further,
    ];
  }

  /**
   * Starts the process; its log goes to `<directory>/agent.log`.
   *
   * @param upgrade what to run from now on, as after an upgrade
   */
  async start(upgrade?: { readonly entry: string }): Promise<void> {
    const args = this.runArguments;
    this.#entry = upgrade?.entry ?? this.#entry;
    const entry = this.#entry ?? await agentBundle();
    const command = [
      Deno.execPath(),
      "run",
      ...await this.lockedFlags(),
      ...this.#options.denoFlags ?? [],
      entry,
      ...args,
    ];
    // Through a shell only for the redirection: Deno cannot give a child a file.
    this.#process = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `log=$1; shift; exec "$@" >>"$log" 2>&1`,
        "sh",
        `${this.directory}/agent.log`,
        ...command,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      env: this.#environment,
    }).spawn();
    await Promise.resolve();
  }

  get #environment(): Record<string, string> {
    const { auditFile, denoDir } = this.#options;
    return {
      ...auditFile !== undefined && { DENO_AUDIT_PERMISSIONS: auditFile },
      ...denoDir !== undefined && { DENO_DIR: denoDir },
    };
  }

  get pid(): number {
    if (this.#process === undefined) {
      throw new Error("Cannot name the agent's pid: it does not run");
    }
    return this.#process.pid;
  }

  /** SIGKILLs the agent and reaps it. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** SIGTERMs the agent; resolves to its exit code. */
  async terminate(): Promise<number> {
    return await this.#end("SIGTERM");
  }

  /** The exit code of an agent that ends by itself. */
  async exitCode(): Promise<number> {
    const status = await this.#process?.status;
    this.#process = undefined;
    return status?.code ?? -1;
  }

  async #end(signal: Deno.Signal): Promise<number> {
    const child = this.#process;
    if (child === undefined) return -1;
    this.#process = undefined;
    try {
      child.kill(signal);
    } catch {
      // It has ended already; its status says how.
    }
    return (await child.status).code;
  }

  /** Puts a manifest into the directory as an editor should: written beside, then renamed in. */
  async apply(name: string, manifest: string | object): Promise<void> {
    await applyManifest(`${this.manifestPath}/${name}`, {
      manifest,
      draft: `${this.directory}/.${name}.new`,
    });
  }

  /**
   * The same with a time of change of a minute ago, as after a boot: one that was just
   * written is given a moment.
   */
  async applyLongAgo(name: string, manifest: string | object): Promise<void> {
    await this.apply(name, manifest);
    await makeOld(`${this.manifestPath}/${name}`);
  }

  async removeManifest(name: string): Promise<void> {
    await Deno.remove(`${this.manifestPath}/${name}`);
  }

  /** What `skerry get pods -A -o json` shows, or `undefined` while the agent does not answer. */
  async pods(): Promise<readonly Pod[] | undefined> {
    try {
      const response = await fetch(`${ORIGIN}/api/v1/pods`, {
        client: this.#client,
      });
      const list: { items: Pod[] } = await response.json();
      return list.items;
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  /** GETs a path of the control socket as text. */
  async get(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${ORIGIN}${path}`, {
      client: this.#client,
    });
    return { status: response.status, text: await response.text() };
  }

  /**
   * Waits until the pods satisfy `condition`.
   *
   * @throws {Error} after `timeoutMs`, with what was last seen and the end of the agent's log
   */
  async until(
    what: string,
    condition: (pods: readonly Pod[]) => boolean,
    timeoutMs: number = PATIENCE_MS,
  ): Promise<readonly Pod[]> {
    let pods: readonly Pod[] | undefined;
    const saw = async (): Promise<string> => {
      const seen = pods?.map(({ metadata: { name }, status }) => ({
        name,
        status,
      }));
      return `${JSON.stringify(seen)}; the agent said:\n${await this
        .logTail()}`;
    };
    await waitUntil(`"${what}"`, async () => {
      pods = await this.pods();
      return pods !== undefined && condition(pods);
    }, { saw, timeoutMs, everyMs: 50 });
    return pods ?? [];
  }

  /**
   * Waits until a path of the control socket answers with a text that matches.
   *
   * @throws {Error} when it never does
   */
  async untilAnswer(path: string, expected: RegExp): Promise<void> {
    let last = "";
    await waitUntil(`${expected} at "${path}"`, async () => {
      last = (await this.get(path)).text;
      return expected.test(last);
    }, { saw: () => last });
  }

  /** The last lines of the agent's log. */
  async logTail(lines = 40): Promise<string> {
    const text = await Deno.readTextFile(`${this.directory}/agent.log`).catch(
      () => "",
    );
    return text.trimEnd().split("\n").slice(-lines).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGTERM");
    this.#client.close();
    if (this.#options.directory === undefined) {
      await Deno.remove(this.directory, { recursive: true });
    }
  }
}
