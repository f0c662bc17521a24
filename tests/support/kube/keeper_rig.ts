/**
 * A certificate keeper with files in memory and a signer that a test moves.
 *
 * @module
 */

import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import {
  type CertificateDraft,
  CertificateKeeper,
  type CertificateKeeperOptions,
  type KeyPair,
  NODE_SIGNERS,
  nodeDraft,
} from "../../../mod/kube/certificates/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { linesTo } from "../log_lines.ts";
import { Authority } from "../peers/certificates.ts";
import { until } from "../until.ts";
import { FakeSigner } from "./fake_signer.ts";

/** Where the pair is. */
export const PAIR_PATH = "/pki/kubelet-client-current.pem";

/** Half of a certificate's life from 2020 to 2030, of which 80 % are over in 2028. */
export const MIDDLE_MS: number = Date.UTC(2025, 0, 1);

/** A keeper that runs as long as its block. */
export class KeeperRig implements AsyncDisposable {
  readonly clock: FakeClock;
  signer: FakeSigner;
  readonly files: Map<string, string> = new Map();
  readonly log: string[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly stop: AbortController = new AbortController();
  /** What was adopted, in order. */
  readonly renewed: KeyPair[] = [];
  /** With which certificate requests were made. */
  readonly askedWith: (KeyPair | undefined)[] = [];
  /** What was tried out. */
  readonly tried: KeyPair[] = [];
  draft: CertificateDraft | undefined = nodeDraft("n1");
  /** Why the next one does not work. */
  fault: Error | undefined;
  /** How often a file was read. */
  reads = 0;
  /** Whether the disk refuses. */
  isFull = false;
  #running: Promise<void> | undefined;

  private constructor(signer: FakeSigner, nowMs: number) {
    this.signer = signer;
    this.clock = new FakeClock(nowMs);
  }

  static async create(nowMs: number = MIDDLE_MS): Promise<KeeperRig> {
    return new KeeperRig(new FakeSigner(await Authority.create()), nowMs);
  }

  /** Begins to keep the certificate. */
  start(options: Partial<CertificateKeeperOptions> = {}): void {
    const keeper = new CertificateKeeper({
      files: {
        read: (path) => {
          this.reads++;
          return Promise.resolve(this.files.get(path));
        },
        replace: (path, text) => {
          if (this.isFull || path.startsWith("/full/")) {
            return Promise.reject(new Error("The disk is full"));
          }
          this.files.set(path, text);
          return Promise.resolve();
        },
        remove: (path) => {
          this.files.delete(path);
          return Promise.resolve();
        },
      },
      clock: this.clock,
      random: { next: () => .5 },
      log: linesTo(this.log, { clock: this.clock }),
      metrics: this.metrics,
      api: (pair) => {
        this.askedWith.push(pair);
        return this.signer;
      },
      tryOut: (pair) => {
        this.tried.push(pair);
        const { fault } = this;
        this.fault = undefined;
        return fault === undefined ? Promise.resolve() : Promise.reject(fault);
      },
      whenRenewed: (pair) => this.renewed.push(pair),
    }, {
      ...NODE_SIGNERS.client,
      path: PAIR_PATH,
      draft: () => this.draft,
      ...options,
    });
    this.#running = keeper.run(this.stop.signal);
  }

  /** Lets the keeper go on, whose keys are made by other threads, until it holds. */
  async until(holds: () => boolean): Promise<void> {
    await until(async () => {
      await this.clock.advance(0);
      return holds();
    });
  }

  /** The messages of the log. */
  get messages(): readonly string[] {
    return this.log.map((line) => JSON.parse(line).message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#running;
  }
}
