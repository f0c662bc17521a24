/**
 * A private containerd in a directory of its own: own root, state, socket, CNI
 * network and images, gone without a trace when disposed of.
 *
 * Needs root and a permissive Deno (`-A`): it is the tests' side of the socket,
 * never the agent's.
 *
 * @module
 */

import { dirname } from "node:path";
import { type ImageRecipe, pauseRecipe } from "./oci_image.ts";
import { removeAllPods } from "./remove_pods.ts";
import { firstExisting, run, RuntimeTools } from "./runtime_tools.ts";
import { pause, waitUntil } from "./wait_until.ts";

/** The references of the images every rig starts with. */
export const BUSYBOX_IMAGE = "localhost/busybox:1.35";
export const PAUSE_IMAGE = "localhost/pause:1";

/** How a rig differs from the usual one. */
export interface RigOptions {
  /**
   * Its shim is taken from beside it.
   *
   * @default the first containerd on the usual paths
   */
  readonly containerdPath?: string;
  /** Names of further runtime handlers, each another runc. */
  readonly handlers?: readonly string[];
  /** Images to import besides busybox and pause. */
  readonly images?: readonly ImageRecipe[];
  /** Told what takes time. */
  readonly progress?: (step: string) => void;
}

/** A containerd that belongs to the caller; `await using` ends it and all it ran. */
export class ContainerdRig implements AsyncDisposable {
  /** The temp directory that everything lives in. */
  readonly directory: string;
  readonly socketPath: string;
  /** `ctr` and what is built on it, against this runtime. */
  readonly tools: RuntimeTools;
  /** The pods' addresses. */
  readonly podNetwork: string;
  readonly #containerdPath: string;
  readonly #handlers: readonly string[];
  readonly #bridge: string;
  #process: Deno.ChildProcess | undefined;

  private constructor(
    parts: {
      directory: string;
      containerdPath: string;
      handlers: readonly string[];
      network: number;
    },
  ) {
    this.directory = parts.directory;
    this.socketPath = `${parts.directory}/containerd.sock`;
    this.tools = new RuntimeTools(this.socketPath);
    this.podNetwork = `10.244.${parts.network}.0/24`;
    this.#bridge = `sk${parts.network}x${Deno.pid.toString(36)}`.slice(0, 15);
    this.#containerdPath = parts.containerdPath;
    this.#handlers = parts.handlers;
  }

  /** Starts containerd, waits until it answers and imports the images. */
  static async start(options: RigOptions = {}): Promise<ContainerdRig> {
    const rig = new ContainerdRig({
      // Socket paths may not exceed 107 bytes, so the directory is short.
      directory: await Deno.makeTempDir({ prefix: "skerry-rt-" }),
      containerdPath: options.containerdPath ??
        await firstExisting([
          "/usr/bin/containerd",
          "/usr/local/bin/containerd",
        ]),
      handlers: options.handlers ?? [],
      network: await freeNetwork(),
    });
    try {
      await rig.#writeConfig();
      options.progress?.("starting containerd");
      await rig.startRuntime();
      options.progress?.("building and importing images");
      await rig.tools.importImage(pauseRecipe(PAUSE_IMAGE));
      await rig.tools.importBusybox(BUSYBOX_IMAGE);
      for (const recipe of options.images ?? []) {
        await rig.tools.importImage(recipe);
      }
      return rig;
    } catch (error) {
      await rig[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The runtime's pid, while it runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the runtime again after {@link killRuntime}; resolves when it answers. */
  async startRuntime(): Promise<void> {
    // Through a shell only for the redirection: Deno cannot give a child a file.
    this.#process = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `exec "$0" --config "$1" >>"$2" 2>&1`,
        this.#containerdPath,
        `${this.directory}/config.toml`,
        `${this.directory}/containerd.log`,
      ],
      // containerd looks for its shim there, and only then beside itself.
      env: {
        PATH: `${dirname(this.#containerdPath)}:${Deno.env.get("PATH") ?? ""}`,
      },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let last = "";
    const seen = {
      saw: () => `${last}; see "${this.directory}/containerd.log"`,
      everyMs: 50,
    };
    await waitUntil("an answer of containerd", async () => {
      const { ok, text } = await this.tools.ctr(["version"]);
      last = text;
      return ok;
    }, seen);
    // The CRI plugin is up a moment after the socket.
    await waitUntil("the CRI plugin of containerd", async () => {
      last = (await this.tools.ctr(["plugins", "ls"])).text;
      return /\bcri\s+\S+\s+ok/.test(last);
    }, seen);
  }

  /** Ends the runtime, by SIGKILL unless told otherwise; its containers go on. */
  async killRuntime(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    child.kill(signal);
    await child.status;
  }

  /** Ends the runtime and all that runs as a power cut does: what it has in memory is gone. */
  async powerOff(): Promise<void> {
    const pids = [...(await this.tools.tasks()).values()];
    await this.killRuntime();
    await this.#endShims();
    for (const pid of pids.filter((each) => each > 1)) killIfThere(pid);
    await this.#unmountAll();
    await Deno.remove(`${this.directory}/state`, { recursive: true });
  }

  /** Stops and removes every pod, as a test leaves the runtime for the next. */
  async removeAllPods(): Promise<void> {
    await removeAllPods(this.socketPath);
  }

  /** Ends every container, the runtime and its shims, and removes all traces. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined) {
      await this.#endTasks();
      const child = this.#process;
      this.#process = undefined;
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await child.status;
      clearTimeout(kill);
    }
    await this.#endShims();
    await this.#unmountAll();
    await run("ip", ["link", "delete", this.#bridge]);
    await Deno.remove(this.directory, { recursive: true });
  }

  async #endTasks(): Promise<void> {
    const ids = [...(await this.tools.tasks()).keys()];
    for (let at = 0; at < ids.length; at += 20) {
      await Promise.all(
        ids.slice(at, at + 20).map((id) =>
          this.tools.ctr(["tasks", "delete", "--force", id])
        ),
      );
    }
  }

  /** A shim outlives its containerd; each names the socket in its command line. */
  async #endShims(): Promise<void> {
    for (const pid of await this.#shims()) {
      killIfThere(pid);
    }
    for (
      let tries = 0;
      tries < 100 && (await this.#shims()).length > 0;
      tries++
    ) await pause(20);
  }

  async #shims(): Promise<number[]> {
    const found: number[] = [];
    for await (const entry of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(entry.name)) continue;
      // A process may end between the listing and the reading.
      const words =
        (await Deno.readTextFile(`/proc/${entry.name}/cmdline`).catch(() => ""))
          .split("\0");
      if (
        words[0]?.includes("containerd-shim") && words.includes(this.socketPath)
      ) found.push(Number(entry.name));
    }
    return found;
  }

  async #unmountAll(): Promise<void> {
    const mounts = (await Deno.readTextFile("/proc/self/mounts")).split("\n")
      .map((line) => line.split(" ")[1] ?? "")
      .filter((path) => path.startsWith(`${this.directory}/`))
      .reverse();
    for (const path of mounts) await run("umount", ["--lazy", path]);
  }

  async #writeConfig(): Promise<void> {
    await Deno.mkdir(`${this.directory}/cni`);
    await Deno.writeTextFile(
      `${this.directory}/config.toml`,
      this.#config(await cniBinaries()),
    );
    await Deno.writeTextFile(
      `${this.directory}/cni/10-skerry.conflist`,
      JSON.stringify({
        cniVersion: "1.0.0",
        name: this.#bridge,
        plugins: [{
          type: "bridge",
          bridge: this.#bridge,
          isGateway: true,
          ipMasq: false,
          ipam: {
            type: "host-local",
            dataDir: `${this.directory}/ipam`,
            ranges: [[{ subnet: this.podNetwork }]],
          },
        }, { type: "portmap", capabilities: { portMappings: true } }],
      }),
    );
  }

  #config(cniPath: string): string {
    return `version = 2
root = "${this.directory}/root"
state = "${this.directory}/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "${this.socketPath}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Without CAP_SYS_RESOURCE no score below the runtime's own can be set.
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPath}"
    conf_dir = "${this.directory}/cni"
${["runc", ...this.#handlers].map(handlerConfig).join("")}`;
  }
}

function handlerConfig(name: string): string {
  return `  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.${name}]
    runtime_type = "io.containerd.runc.v2"
`;
}

function killIfThere(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function cniBinaries(): Promise<string> {
  const bridge = await firstExisting([
    "/usr/lib/cni/bridge",
    "/opt/cni/bin/bridge",
  ]);
  return bridge.slice(0, bridge.lastIndexOf("/"));
}

/** A third octet that no interface of this machine uses yet. */
async function freeNetwork(): Promise<number> {
  const { text } = await run("ip", ["-4", "-oneline", "address"]);
  for (let tries = 0; tries < 100; tries++) {
    const octet = 1 + Math.floor(Math.random() * 254);
    if (!text.includes(`10.244.${octet}.`)) return octet;
  }
  throw new Error(
    "Cannot find a free pod network in 10.244.0.0/16: 100 random ones are taken",
  );
}
