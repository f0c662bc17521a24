/**
 * A real Kubernetes API server with its etcd, on loopback and in a temp directory.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";
import { ApiClient } from "./api_client.ts";
import { AUDIT_POLICY, type AuditedCall, parseAuditLog } from "./audit_log.ts";
import { type ClusterKeys, makeClusterKeys } from "./cluster_keys.ts";
import { ClusterProcess } from "./cluster_process.ts";
import { joinObjects, newBootstrapToken } from "./join_objects.ts";
import { kubeconfig, type KubeServer, type KubeUser } from "./kubeconfig.ts";
import {
  type ClusterPorts,
  etcdArguments,
  managerArguments,
  schedulerArguments,
  serverArguments,
} from "./part_arguments.ts";

/** The parts that run beside one another. */
export const PARTS = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
] as const;

/** A part of a cluster. */
export type ClusterPart = typeof PARTS[number];

/** How a cluster differs from an API server with its etcd. */
export interface ClusterOptions {
  /** Whether Deployments, Jobs and the like have pods made for them. @default false */
  readonly hasControllers?: boolean;
  /** Which controllers run if any do. @default those of a cluster that runs pods */
  readonly controllers?: readonly string[];
  /** Whether pods are given a node. @default false */
  readonly hasScheduler?: boolean;
  /** Further arguments of a part; the last of a name counts. */
  readonly arguments?: Readonly<Partial<Record<ClusterPart, string[]>>>;
}

/** A cluster that belongs to the caller; `await using` ends it without a trace. */
export class Cluster implements AsyncDisposable {
  readonly directory: string;
  /** Where the API server is, and how it is known. */
  readonly server: KubeServer;
  /** The path of the kubeconfig of one who may do all. */
  readonly adminKubeconfig: string;
  /** Asks as an administrator. */
  readonly api: ApiClient;
  readonly #program: string;
  readonly #keys: ClusterKeys;
  readonly #ports: ClusterPorts;
  readonly #options: ClusterOptions;
  readonly #processes: Map<ClusterPart, ClusterProcess> = new Map();
  #configs = 0;

  private constructor(
    program: string,
    parts: {
      readonly directory: string;
      readonly keys: ClusterKeys;
      readonly ports: ClusterPorts;
      readonly options: ClusterOptions;
    },
  ) {
    this.#program = program;
    this.directory = parts.directory;
    this.#keys = parts.keys;
    this.#ports = parts.ports;
    this.#options = parts.options;
    this.server = {
      url: `https://127.0.0.1:${parts.ports.server}`,
      ca: parts.keys.authority.cert,
    };
    this.adminKubeconfig = `${parts.directory}/admin.kubeconfig`;
    this.api = new ApiClient(this.server, parts.keys.admin);
  }

  /** Starts the parts and waits until they are ready. */
  static async start(
    program: string,
    options: ClusterOptions = {},
  ): Promise<Cluster> {
    const directory = await Deno.makeTempDir({ prefix: "skerry-cluster-" });
    const cluster = new Cluster(program, {
      directory,
      keys: await makeClusterKeys(directory),
      ports: freePorts(),
      options,
    });
    try {
      await Deno.writeTextFile(
        cluster.adminKubeconfig,
        kubeconfig(cluster.server, cluster.#keys.admin),
        { mode: 0o600 },
      );
      await Deno.writeTextFile(
        auditPaths(cluster).policy,
        JSON.stringify(AUDIT_POLICY),
      );
      await cluster.startPart("etcd");
      await cluster.startPart("kube-apiserver");
      await cluster.#furnish();
      if (options.hasControllers) {
        await cluster.startPart("kube-controller-manager");
      }
      if (options.hasScheduler) await cluster.startPart("kube-scheduler");
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The pid of a part that runs. */
  pid(part: ClusterPart): number | undefined {
    return this.#processes.get(part)?.pid;
  }

  /** Starts a part, also one that was ended, and waits until it is ready. */
  async startPart(part: ClusterPart): Promise<void> {
    const process = new ClusterProcess({
      program: this.#program,
      part,
      args: [
        ...this.#arguments(part),
        ...this.#options.arguments?.[part] ?? [],
      ],
      logPath: `${this.directory}/${part}.log`,
    });
    this.#processes.set(part, process);
    await process.untilReady(() => this.#isReady(part));
  }

  /** Ends a part, by SIGTERM unless told otherwise. */
  async endPart(part: ClusterPart, signal?: Deno.Signal): Promise<void> {
    const process = this.#processes.get(part);
    this.#processes.delete(part);
    await process?.end(signal);
  }

  /** A kubeconfig of the node with that name, in a file. */
  async nodeKubeconfig(name: string): Promise<string> {
    const certificate = await this.#keys.authority.issue({
      name: `system:node:${name}`,
      organizations: ["system:nodes"],
    });
    return await this.kubeconfigOf(certificate);
  }

  /** A kubeconfig of somebody, in a file. */
  async kubeconfigOf(user: KubeUser): Promise<string> {
    const path = `${this.directory}/${++this.#configs}.kubeconfig`;
    await Deno.writeTextFile(path, kubeconfig(this.server, user), {
      mode: 0o600,
    });
    return path;
  }

  /** A kubeconfig with a new bootstrap token, with which a node may ask for its certificate. */
  async bootstrapKubeconfig(): Promise<string> {
    const { token, secret } = newBootstrapToken();
    await this.api.create("/api/v1/namespaces/kube-system/secrets", secret);
    return await this.kubeconfigOf({ token });
  }

  /** The calls of nodes, and of those who want to be one, that were answered up to now. */
  async calls(): Promise<readonly AuditedCall[]> {
    return parseAuditLog(await Deno.readTextFile(auditPaths(this).log));
  }

  /** Runs kubectl, as an administrator unless told otherwise. */
  async kubectl(
    args: readonly string[],
    options: { readonly kubeconfig?: string } = {},
  ): Promise<{ readonly ok: boolean; readonly text: string }> {
    const path = options.kubeconfig ?? this.adminKubeconfig;
    // Without a cache of its own it would write into the user's home.
    const own = [`--kubeconfig=${path}`, `--cache-dir=${this.directory}/cache`];
    return await run(this.#program, ["kubectl", ...own, ...args]);
  }

  /** Ends all parts and removes all traces. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever speaks to another ends before it.
    for (const part of PARTS.toReversed()) await this.endPart(part);
    this.api[Symbol.dispose]();
    await Deno.remove(this.directory, { recursive: true });
  }

  #arguments(part: ClusterPart): readonly string[] {
    switch (part) {
      case "etcd":
        return etcdArguments(this.#ports, `${this.directory}/etcd`);
      case "kube-apiserver":
        return serverArguments(this.#ports, {
          keys: this.#keys,
          audit: auditPaths(this),
        });
      case "kube-controller-manager":
        return managerArguments(
          this.adminKubeconfig,
          this.#keys,
          this.#options.controllers,
        );
      case "kube-scheduler":
        return schedulerArguments(this.adminKubeconfig);
      default:
        return part satisfies never;
    }
  }

  async #isReady(part: ClusterPart): Promise<boolean> {
    switch (part) {
      case "etcd":
        return await answers(`http://127.0.0.1:${this.#ports.etcd}/health`);
      case "kube-apiserver":
        return await this.#has("/readyz") &&
          await this.#has("/api/v1/namespaces/default") &&
          await this.#has("/api/v1/namespaces/kube-system");
      case "kube-controller-manager":
        return await this.#has(`${DEFAULT_ACCOUNTS}/default`);
      case "kube-scheduler":
        // It serves nothing; pods wait until it looks.
        return true;
      default:
        return part satisfies never;
    }
  }

  async #has(path: string): Promise<boolean> {
    try {
      return (await this.api.ask("GET", path)).status === 200;
    } catch {
      // Nobody listens yet.
      return false;
    }
  }

  /** What kubeadm makes in a new cluster, and a controller that may not be there. */
  async #furnish(): Promise<void> {
    for (const { path, object } of joinObjects()) {
      await this.api.create(path, object);
    }
    if (this.#options.hasControllers) return;
    await this.api.create(DEFAULT_ACCOUNTS, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default" },
    });
  }
}

const DEFAULT_ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";

/** What the API server is to write down, and where it does. */
function auditPaths(
  { directory }: Cluster,
): { readonly policy: string; readonly log: string } {
  return {
    policy: `${directory}/audit_policy.json`,
    log: `${directory}/audit.log`,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Nobody listens yet.
    return false;
  }
}

/** Ports that nobody uses now, all different. */
function freePorts(): ClusterPorts {
  using listeners = new DisposableStack();
  const port = (): number =>
    listeners.use(Deno.listen({ hostname: "127.0.0.1", port: 0 })).addr.port;
  return { etcd: port(), etcdPeer: port(), server: port() };
}
