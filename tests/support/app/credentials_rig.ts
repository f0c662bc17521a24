/**
 * The credentials of a node on the disk, with an API server that signs.
 *
 * @module
 */

import { ensureDirectory } from "../../../mod/host/files/mod.ts";
import {
  NodeCredentials,
  readKubeFile,
  replaceByStaging,
  secretFiles,
} from "../../../mod/app/credentials/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { kubeconfig, type KubeUser } from "../cluster/kubeconfig.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeSigner } from "../kube/fake_signer.ts";
import {
  answering,
  type KubeRequest,
  StagedServer,
} from "../kube/staged_server.ts";
import { GET_VERSION } from "../kube/transport_rig.ts";
import { linesTo } from "../log_lines.ts";
import { Authority, type Certificate } from "../peers/certificates.ts";
import { TempDir } from "../temp_dir.ts";
import { until } from "../until.ts";

/** What the server takes from who has no certificate yet. */
export const BOOT_TOKEN = "boot";

/** The rig's node, whose certificates begin in 2020. */
export const NODE_USER = "system:node:n1";

/** Who asked, and for what: `system:node:n1 GET /version`. */
type AskedLine = string;

/** A node whose agents a test starts, one after the other. */
export class CredentialsRig implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: StagedServer;
  readonly signer: FakeSigner;
  readonly log: string[] = [];
  /** Whom the server refuses. */
  readonly refused: Set<string> = new Set();
  credentials: NodeCredentials | undefined;
  readonly #directory: TempDir;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(
    parts: {
      readonly directory: TempDir;
      readonly server: StagedServer;
      readonly nowMs: number;
    },
  ) {
    this.#directory = parts.directory;
    this.server = parts.server;
    this.clock = new FakeClock(parts.nowMs);
    this.signer = new FakeSigner(parts.server.authority);
    this.signer.approves = true;
    this.server.answer = (request, response) => {
      if (this.refused.has(nameOf(request)) || nameOf(request) === "nobody") {
        return answering({}, { status: 401 })(request, response);
      }
      if (!request.path.includes("certificatesigningrequests")) {
        return void response.end("{}");
      }
      void this.#sign(request).then(
        (answer) => response.end(JSON.stringify(answer)),
        () => answering({}, { status: 404 })(request, response),
      );
    };
  }

  /** @param nowMs the time that the node's clock shows */
  static async create(nowMs: number): Promise<CredentialsRig> {
    const authority = await Authority.create();
    const directory = await TempDir.make();
    const server = await StagedServer.start({ authority });
    return new CredentialsRig({ directory, server, nowMs });
  }

  /** A path in the node's directory. */
  path(name: string): string {
    return `${this.#directory.path}/${name}`;
  }

  /** A certificate of the node. */
  issue(endYear: number): Promise<Certificate> {
    return this.server.authority.issue({ name: NODE_USER, endYear });
  }

  /** Writes a kubeconfig. */
  async kubeconfig(name: string, user: KubeUser): Promise<void> {
    const { url, authority: { cert } } = this.server;
    const text = kubeconfig({ url, ca: cert }, user);
    await Deno.writeTextFile(this.path(name), text);
  }

  /** Writes the one with which nodes begin. */
  async bootstrap(): Promise<void> {
    await this.kubeconfig("bootstrap", { token: BOOT_TOKEN });
  }

  /** Writes what an agent before has kept. */
  async keep({ cert, key }: Certificate): Promise<void> {
    await ensureDirectory(this.path("pki"), 0o700);
    const path = this.path("pki/kubelet-client-current.pem");
    await Deno.writeTextFile(path, `${cert}${key}`);
  }

  /** Starts an agent. */
  start(
    options: {
      readonly rotates?: boolean;
      readonly hasBootstrap?: boolean;
      readonly certDir?: string;
      readonly kubeconfig?: string;
    } = {},
  ): void {
    const { rotates = true, hasBootstrap = true } = options;
    const own = this.path(options.kubeconfig ?? "kubeconfig");
    this.#stop = new AbortController();
    this.credentials = new NodeCredentials({
      clock: this.clock,
      random: { next: () => .5 },
      log: linesTo(this.log, { clock: this.clock }),
      metrics: new MetricsRegistry(),
      files: secretFiles,
      readKubeFile,
      writeKubeconfig: (text) =>
        replaceByStaging(own, { staging: `${own}.new`, text }),
    }, {
      nodeName: "n1",
      kubeconfig: own,
      bootstrapKubeconfig: hasBootstrap ? this.path("bootstrap") : undefined,
      certDir: this.path(options.certDir ?? "pki"),
      rotateCertificates: rotates,
      apiQps: 50,
      apiBurst: 100,
    });
    this.#running = this.credentials.run(this.#stop.signal);
  }

  /** Ends the agent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.credentials?.[Symbol.asyncDispose]();
    this.credentials = undefined;
  }

  /** Asks for the version as the node; gives `ok`, or why not. */
  async ask(): Promise<string> {
    const { credentials } = this;
    if (credentials === undefined) return "no agent";
    try {
      await credentials.caller.call(GET_VERSION, this.#stop.signal);
      return "ok";
    } catch (error) {
      return `${error}`;
    }
  }

  /** Reads the version as a stream to its end; gives it, or why not. */
  async watch(): Promise<string> {
    const { credentials } = this;
    if (credentials === undefined) return "no agent";
    try {
      const pieces = await credentials.caller.stream(
        GET_VERSION,
        this.#stop.signal,
      );
      let text = "";
      for await (const piece of pieces) text += new TextDecoder().decode(piece);
      return text;
    } catch (error) {
      return `${error}`;
    }
  }

  /** Waits for other threads and the disk while the clock stands still. */
  async until(
    holds: () => boolean | Promise<boolean>,
    what?: string,
  ): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(0);
        return await holds();
      },
      what,
      () => [this.log, this.asked],
    );
  }

  /** Who asked the server for what. */
  get asked(): readonly AskedLine[] {
    return this.server.requests.map((each) => {
      const [path = ""] = each.path.split("/node-csr-");
      return `${nameOf(each)} ${each.method} ${path.split("/").at(-1)}`;
    });
  }

  /** The messages of the log. */
  get messages(): readonly string[] {
    return this.log.map((line) => JSON.parse(line).message);
  }

  /** A file of the node; empty when there is none. */
  async file(name: string): Promise<string> {
    return await Deno.readTextFile(this.path(name)).catch(() => "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.server[Symbol.asyncDispose]();
    await this.#directory[Symbol.asyncDispose]();
  }

  async #sign({ method, path, body }: KubeRequest): Promise<unknown> {
    return await this.signer.call({
      ...GET_VERSION,
      method: method === "POST" ? "POST" : "GET",
      path,
      body: body === "" ? undefined : JSON.parse(body),
    }, new AbortController().signal);
  }
}

function nameOf({ authorization, client }: KubeRequest): string {
  return authorization?.slice("Bearer ".length) ?? client ?? "nobody";
}
