/**
 * How the agent shows a cluster that it is the node.
 *
 * @module
 */

import {
  type Clock,
  type Random,
  TaskGroup,
  unlessAborted,
} from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { type ClusterConfig, VERSION } from "../../config/mod.ts";
import {
  CertificateKeeper,
  type KeyPair,
  NODE_SIGNERS,
  nodeDraft,
  nodeKubeconfig,
  readKeyPair,
  type SecretFiles,
  tryCertificate,
  withCertificate,
} from "../../kube/certificates/mod.ts";
import {
  KubeconfigFile,
  type KubeIdentity,
  type ReadCredentialFile,
} from "../../kube/config/mod.ts";
import {
  type ApiCaller,
  KubeTransport,
  RatedCaller,
} from "../../kube/transport/mod.ts";

/** What they are built on. */
export interface NodeCredentialsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly readKubeFile: ReadCredentialFile;
  /** The directory of certificates. */
  readonly files: SecretFiles;
  /** Puts the node's kubeconfig in place as a whole, for nobody else to read. */
  readonly writeKubeconfig: (text: string) => Promise<void>;
}

/** What of the settings they are built on. */
export type CredentialSettings = Pick<
  ClusterConfig,
  | "apiBurst"
  | "apiQps"
  | "bootstrapKubeconfig"
  | "certDir"
  | "kubeconfig"
  | "rotateCertificates"
>;

/** As the kubelet calls them. */
const PAIR_FILE = "kubelet-client-current.pem";
const REQUEST_KEY_FILE = "kubelet-client.key.tmp";

const USER_AGENT: string = `skerry/${VERSION}`;

/**
 * The kubeconfig's credentials, or a certificate that is asked for, kept and renewed beside
 * it: with `rotateCertificates`, or where a bootstrap kubeconfig says how the first one is
 * to be had. That kubeconfig is used for nothing else.
 */
export class NodeCredentials implements AsyncDisposable {
  /** Asks as the node. While it is none yet, what is asked waits. */
  readonly caller: ApiCaller;
  readonly #deps: NodeCredentialsDeps;
  readonly #settings: CredentialSettings;
  readonly #pairPath: string;
  readonly #own: KubeconfigFile;
  readonly #bootstrap: KubeconfigFile | undefined;
  readonly #transport: KubeTransport;
  readonly #keeper: CertificateKeeper | undefined;
  readonly #usable = Promise.withResolvers<void>();
  readonly #tasks = new TaskGroup(new AbortController().signal);
  #isUsable = false;
  #pair: KeyPair | undefined;
  /** Asks for a certificate where there is none that is good. */
  #first: KubeTransport | undefined;
  /** What was said last of the kubeconfig. */
  #told: string | undefined;

  constructor(
    deps: NodeCredentialsDeps,
    settings: CredentialSettings & { readonly nodeName: string },
  ) {
    this.#deps = deps;
    this.#settings = settings;
    const { kubeconfig, bootstrapKubeconfig, rotateCertificates } = settings;
    const { readKubeFile, clock } = deps;
    this.#pairPath = `${settings.certDir}/${PAIR_FILE}`;
    this.#own = new KubeconfigFile(kubeconfig, readKubeFile);
    this.#bootstrap = bootstrapKubeconfig === undefined
      ? undefined
      : new KubeconfigFile(bootstrapKubeconfig, readKubeFile);
    const source = withCertificate(
      { load: () => this.#way() },
      () => this.#pair,
    );
    this.#transport = this.#transportOf(source);
    if (rotateCertificates || this.#bootstrap !== undefined) {
      this.#keeper = this.#keeperOf(settings);
    }
    // What a kubeconfig says counts until there is a certificate; a bootstrap's does not.
    if (this.#bootstrap === undefined) this.#begin();
    const gate = this.#gated();
    this.caller = new RatedCaller({ caller: gate, clock }, {
      perSecond: settings.apiQps,
      burst: settings.apiBurst,
    });
  }

  /** The URL of the API server, once it is known. */
  get server(): string | undefined {
    return this.#transport.server;
  }

  /** Whether nothing can be asked before somebody has approved a certificate. */
  get awaitsCertificate(): boolean {
    return !this.#isUsable;
  }

  #begin(): void {
    this.#isUsable = true;
    this.#usable.resolve();
  }

  /** Keeps the certificate, if there is one to keep, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#keeper?.run(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks[Symbol.asyncDispose]();
    await this.#first?.[Symbol.asyncDispose]();
    await this.#transport[Symbol.asyncDispose]();
  }

  #gated(): ApiCaller {
    const isUsable = (signal: AbortSignal): Promise<void> =>
      unlessAborted(this.#usable.promise, signal);
    return {
      call: async (request, signal) => {
        await isUsable(signal);
        return await this.#transport.call(request, signal);
      },
      stream: async (request, signal) => {
        await isUsable(signal);
        return await this.#transport.stream(request, signal);
      },
    };
  }

  #keeperOf(
    { nodeName, certDir, rotateCertificates }: CredentialSettings & {
      readonly nodeName: string;
    },
  ): CertificateKeeper {
    return new CertificateKeeper({
      ...this.#deps,
      api: (pair) => pair === undefined ? this.#firstCaller() : this.#transport,
      tryOut: (pair, signal) =>
        tryCertificate(pair, {
          ...this.#deps,
          source: { load: () => this.#way() },
          userAgent: USER_AGENT,
        }, signal),
      whenRenewed: (pair) => this.#use(pair),
    }, {
      ...NODE_SIGNERS.client,
      path: this.#pairPath,
      keyPath: `${certDir}/${REQUEST_KEY_FILE}`,
      draft: () => nodeDraft(nodeName),
      initial: () => this.#configured(),
      rotates: rotateCertificates,
    });
  }

  /** Where the server is; who has a certificate of his own needs nothing else of it. */
  async #way(): Promise<KubeIdentity> {
    try {
      return await this.#own.load();
    } catch (error) {
      if (this.#bootstrap === undefined) throw error;
      return await this.#bootstrap.load();
    }
  }

  /** The certificate of the kubeconfig. */
  async #configured(): Promise<KeyPair | undefined> {
    try {
      const { client } = await this.#own.load();
      return client && readKeyPair(client.cert, client.key.reveal());
    } catch (error) {
      // It is what a bootstrap kubeconfig is for.
      const level = this.#bootstrap === undefined ? "warn" : "info";
      this.#tell(level, "kubeconfig_unusable", error);
      return undefined;
    }
  }

  #firstCaller(): ApiCaller {
    this.#first ??= this.#transportOf(this.#bootstrap ?? this.#own);
    return this.#first;
  }

  #use(pair: KeyPair): void {
    this.#pair = pair;
    const first = this.#first;
    this.#first = undefined;
    // They are awaited by the group.
    void this.#tasks.start(async (signal) => {
      await first?.[Symbol.asyncDispose]();
      await this.#transport.refresh(signal);
      this.#begin();
      const isGood = this.#deps.clock.now() < pair.endsMs;
      if (isGood && this.#bootstrap !== undefined) {
        await this.#repair(this.#bootstrap);
      }
    });
  }

  /** Writes the node's own kubeconfig where there is none by which a kubelet could start. */
  async #repair(bootstrap: KubeconfigFile): Promise<void> {
    const { clock, log, writeKubeconfig } = this.#deps;
    const { kubeconfig } = this.#settings;
    const configured = await this.#configured();
    if (configured !== undefined && clock.now() < configured.endsMs) return;
    try {
      const access = await bootstrap.access();
      await writeKubeconfig(nodeKubeconfig(access, this.#pairPath));
      log.info("kubeconfig_written", { kubeconfig });
    } catch (error) {
      this.#tell("warn", "kubeconfig_not_written", error);
    }
  }

  /** Once, as long as it stays the same. */
  #tell(level: "info" | "warn", message: string, error: unknown): void {
    const text = message + describeError(error);
    if (this.#told === text) return;
    this.#told = text;
    this.#deps.log[level](message, { error });
  }

  #transportOf(source: { load(): Promise<KubeIdentity> }): KubeTransport {
    return new KubeTransport(
      { ...this.#deps, source },
      { userAgent: USER_AGENT },
    );
  }
}
