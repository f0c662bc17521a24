/**
 * Keeps a certificate of the node fresh.
 *
 * @module
 */

import {
  type Clock,
  isAbort,
  jitter,
  nextDelay,
  type Random,
} from "../../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { hasFailed } from "../../api/access/mod.ts";
import type { ApiCaller } from "../transport/mod.ts";
import type { CertificateDraft } from "./certificate_request.ts";
import {
  addressKey,
  dnsKey,
  type KeyPair,
  pairText,
  readKeyPair,
} from "./key_pair.ts";
import type { SecretFiles } from "./ports.ts";
import { RequestKey } from "./request_key.ts";
import { requestCertificate, type SigningWish } from "./signing_request.ts";

/** What a keeper works with. */
export interface CertificateKeeperDeps {
  readonly files: SecretFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** By whom requests are made: with that certificate, or without one. */
  readonly api: (pair: KeyPair | undefined) => ApiCaller;
  /** Tries a new one, before the old one is given up. @throws when it does not work */
  readonly tryOut: (pair: KeyPair, signal: AbortSignal) => Promise<void>;
  /** Is called when another one is in use, and at first with what was there. */
  readonly whenRenewed: (pair: KeyPair) => void;
}

/** Which certificate. */
export interface CertificateKeeperOptions
  extends Omit<SigningWish, "draft" | "expirationSeconds"> {
  /** Where certificate and key are: `…/pki/kubelet-client-current.pem`. */
  readonly path: string;
  /** Where the key of a request is until somebody has decided; absent for nowhere. */
  readonly keyPath?: string;
  /** What it is to say at the moment; `undefined` while that is not known. */
  readonly draft: () => CertificateDraft | undefined;
  /** What there is without the file, such as that of a kubeconfig. */
  readonly initial?: () => Promise<KeyPair | undefined>;
  /**
   * Whether a new one is asked for before the old one has ended.
   *
   * @default true
   */
  readonly rotates?: boolean;
}

/** A clock that was set, or a machine that slept, is noticed after this at the latest. */
const RECHECK_MS = 60_000;

/** Upstream's certificate manager begins with two seconds; what is denied is no hurry. */
const BACKOFF = { baseMs: 2_000, maxMs: 300_000 };

/**
 * Gets a certificate when there is none, it has ended or its names are others, and a new
 * one when 70 to 90 % of its life are over. The new one is in use, and in the file, when it
 * works; until then the old one is. What others put in its place counts when it is good for
 * longer, and is looked for whenever one is needed.
 */
export class CertificateKeeper {
  readonly #deps: CertificateKeeperDeps;
  readonly #options: CertificateKeeperOptions;
  readonly #log: Logger;
  readonly #key: RequestKey;
  #pair: KeyPair | undefined;
  /** Which part of its life is lived when it is renewed. */
  #part = 0;
  /** The disk has refused it. */
  #unwritten: KeyPair | undefined;
  /** What was told of last, which is not told again and again. */
  readonly #told: Map<string, string> = new Map();
  readonly #requests: Counter;

  constructor(deps: CertificateKeeperDeps, options: CertificateKeeperOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#log = deps.log.named("certificates");
    this.#key = new RequestKey(
      { files: deps.files, log: this.#log },
      options.keyPath,
    );
    this.#requests = deps.metrics.counter(
      "skerry_certificate_requests_total",
      "Certificates that were asked for, by signer and what came of it",
      ["signer", "result"],
    );
  }

  /** Works until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    let pauseMs: number | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#pair === undefined || this.#due() !== undefined) {
          await this.#look();
        }
        const draft = this.#due();
        if (draft === undefined) {
          pauseMs = undefined;
          await clock.sleep(this.#restMs(), signal);
          await this.#writeAgain();
          continue;
        }
        await this.#renew(draft, signal);
        // It may have failed; or a signer leaves out a name, or gives one that has lived.
        if (this.#due() === undefined) continue;
        pauseMs = nextDelay(pauseMs, BACKOFF);
        await clock.sleep(jitter(random, pauseMs, .2), signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  /** Takes what an earlier agent, or somebody else, has left; that which is good for longer. */
  async #look(): Promise<void> {
    const { initial } = this.#options;
    const first = await initial?.();
    const kept = await this.#kept();
    const pair = first && kept && first.endsMs > kept.endsMs
      ? first
      : kept ?? first;
    if (
      pair === undefined || pair.endsMs <= (this.#pair?.endsMs ?? -Infinity)
    ) {
      return;
    }
    this.#adopt(pair);
  }

  async #kept(): Promise<KeyPair | undefined> {
    const { path, signerName } = this.#options;
    try {
      const text = await this.#deps.files.read(path);
      return text === undefined ? undefined : readKeyPair(text, text);
    } catch (error) {
      // Another one is asked for, as if there were none.
      this.#warnOnce("certificate_unreadable", { path, signerName, error });
      return undefined;
    }
  }

  #adopt(pair: KeyPair): void {
    const { random, whenRenewed } = this.#deps;
    this.#pair = pair;
    this.#told.delete("certificate_not_renewed");
    // So that nodes that were made together do not come together again.
    this.#part = .7 + .2 * random.next();
    whenRenewed(pair);
  }

  /** A certificate may live for less than a minute. */
  #restMs(): number {
    const pair = this.#pair;
    if (pair === undefined) return RECHECK_MS;
    const leftMs = this.#dueMs(pair) - this.#deps.clock.now();
    return leftMs > 0 ? Math.min(leftMs, RECHECK_MS) : RECHECK_MS;
  }

  /** When it is old enough for another one. */
  #dueMs({ beginsMs, endsMs }: KeyPair): number {
    const { rotates = true } = this.#options;
    return beginsMs + (rotates ? this.#part : 1) * (endsMs - beginsMs);
  }

  /** What is to be asked for now; `undefined` when all is well, or it is not known what. */
  #due(): CertificateDraft | undefined {
    const draft = this.#options.draft();
    const pair = this.#pair;
    if (draft === undefined || pair === undefined) return draft;
    const isOld = this.#deps.clock.now() >= this.#dueMs(pair);
    return isOld || !hasNames(pair, draft) ? draft : undefined;
  }

  async #renew(draft: CertificateDraft, signal: AbortSignal): Promise<void> {
    const { signerName } = this.#options;
    const count = (result: string): void =>
      this.#requests.inc({ signer: signerName, result });
    try {
      count(await this.#get(draft, signal));
    } catch (error) {
      if (isAbort(error, signal)) throw error;
      count("failed");
      this.#warnOnce("certificate_not_renewed", { signerName, error });
    }
  }

  async #get(
    draft: CertificateDraft,
    signal: AbortSignal,
  ): Promise<"issued" | "denied"> {
    const { clock, api, tryOut } = this.#deps;
    const { signerName, usages } = this.#options;
    const old = this.#pair;
    const isUsable = old !== undefined && clock.now() < old.endsMs;
    const key = await this.#key.current();
    const signing = await requestCertificate(
      api(isUsable ? old : undefined),
      {
        ...{ signerName, usages, draft, key, clock },
        whenPending: (request) =>
          this.#warnOnce("certificate_not_approved", { signerName, request }),
      },
      signal,
    );
    if (signing.kind === "denied") {
      await this.#key.drop();
      const { message } = signing;
      this.#log.warn("certificate_denied", { signerName, answer: message });
      return "denied";
    }
    const pair = await this.#checked(signing.cert, key.pem.reveal());
    try {
      await tryOut(pair, signal);
    } catch (error) {
      // It is issued, and may work when the server can be reached again.
      const isReachable = !hasFailed(error, "Unreachable", "Timeout");
      if (isReachable && !signal.aborted) await this.#key.drop();
      throw error;
    }
    this.#unwritten = pair;
    await this.#writeAgain();
    this.#key.spend();
    this.#adopt(pair);
    const until = new Date(pair.endsMs).toISOString();
    this.#log.info("certificate_renewed", { signerName, until });
    return "issued";
  }

  /** What was issued with its key; with garbage another request has another key. */
  async #checked(cert: string, key: string): Promise<KeyPair> {
    try {
      return readKeyPair(cert, key);
    } catch (error) {
      await this.#key.drop();
      throw error;
    }
  }

  /** A disk that is full keeps no node from its new certificate; it is written later. */
  async #writeAgain(): Promise<void> {
    const pair = this.#unwritten;
    if (pair === undefined) return;
    const { path, signerName } = this.#options;
    try {
      await this.#deps.files.replace(path, pairText(pair));
    } catch (error) {
      this.#warnOnce("certificate_not_written", { path, signerName, error });
      return;
    }
    this.#unwritten = undefined;
    this.#told.delete("certificate_not_written");
    await this.#key.drop();
  }

  /** Says it again only when something else is to be said of it. */
  #warnOnce(message: string, fields: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify([message, fields["request"]]) +
      describeError(fields["error"]);
    if (this.#told.get(message) === text) return;
    this.#told.set(message, text);
    this.#log.warn(message, fields);
  }
}

function hasNames(
  { names }: KeyPair,
  { dnsNames = [], ipAddresses = [] }: CertificateDraft,
): boolean {
  return dnsNames.every((name) => names.has(dnsKey(name))) &&
    ipAddresses.every((address) => names.has(addressKey(address)));
}
