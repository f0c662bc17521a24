/**
 * Pods from a URL that is asked again and again.
 *
 * @module
 */

import { createHash, type KeyObject } from "node:crypto";
import type { Fault, Pod, UnknownFields } from "../api/mod.ts";
import {
  type Counter,
  describeError,
  type Moment,
  momentOf,
  TaskGroup,
  wallTimeOf,
} from "../base/mod.ts";
import type { BoundedRead, DownloadTls } from "../host/mod.ts";
import { FileReporter, type FileReporterDeps } from "./file_reporter.ts";
import {
  type FileReport,
  type OutageFault,
  sameContent,
} from "./file_state.ts";
import { MAX_MANIFEST_BYTES } from "./manifest_reader.ts";
import type { SetCheckpoint } from "./ports.ts";
import { parsePublicKey, signatureFault } from "./signature.ts";
import {
  checkpointCondition,
  type SourceCondition,
} from "./source_conditions.ts";
import type { SourceContent, SourceSet } from "./source_set.ts";
import { readUrlContent } from "./url_content.ts";
import {
  requestUrl,
  showUrl,
  type UrlAnswer,
  type UrlRequest,
  type Validators,
} from "./url_request.ts";

/** How a {@linkcode UrlSource} works. */
export interface UrlSourceOptions {
  /** Of scheme http or https, without user and password: it is part of the UIDs. */
  readonly url: string;
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  /**
   * Sent to the host of `url` and to no other, however it redirects.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** The PEM file of the authorities that are believed; https needs it. */
  readonly caFile?: string;
  /** The PEM file of the client's certificate; `keyFile` goes with it. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /**
   * PEM files of Ed25519 public keys, one of which must have signed each answer.
   *
   * @default none: answers need no signature
   */
  readonly publicKeyFiles?: readonly string[];
  /**
   * How often the URL is asked.
   *
   * @default {20_000}
   */
  readonly checkFrequencyMs?: number;
  /**
   * What becomes of fields that the API does not have.
   *
   * @default {"refuse"}
   */
  readonly unknownFields?: UnknownFields;
}

/** What a {@linkcode UrlSource} is built on. */
export interface UrlSourceDeps extends FileReporterDeps {
  readonly checkpoint: SetCheckpoint;
  /** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
  readonly readFile: (path: string, maxBytes: number) => Promise<BoundedRead>;
  /** What this node has against a valid pod; a fault refuses that pod alone. */
  readonly check?: (pod: Pod, warnings: readonly Fault[]) => readonly Fault[];
}

/**
 * Delivers the pods and objects of a URL as full sets, one for each change.
 *
 * Only an answer that was read, and whose signature fits if one is wanted, changes
 * anything: whatever goes wrong otherwise keeps what there is and is told once. If
 * it goes wrong at the very first try, what the checkpoint has stands in.
 *
 * ```text
 * silent ──▶ restored ──▶ speaking ⟲
 *    └────────────────────────┘
 * ```
 */
export class UrlSource {
  readonly #url: URL;
  readonly #options: UrlSourceOptions;
  readonly #deps: UrlSourceDeps;
  readonly #reporter: FileReporter;
  readonly #polls: Counter;
  readonly #start: Moment;

  #state: "silent" | "restored" | "speaking" = "silent";
  #held: SourceContent = { pods: [], objects: [] };
  #accepted: Accepted | undefined;
  /** The answer that was refused last, so that it is not read again and again. */
  #refused: { readonly digest: string; readonly reason: string } | undefined;
  #reports: readonly FileReport[] = [];

  /**
   * Asks nothing until it runs.
   *
   * @throws {TypeError} When `options.url` is no URL.
   */
  constructor(options: UrlSourceOptions, deps: UrlSourceDeps) {
    this.#url = new URL(options.url);
    this.#options = options;
    this.#deps = deps;
    this.#reporter = new FileReporter(options.nodeName, deps);
    this.#start = momentOf(deps.clock);
    this.#polls = deps.metrics.counter(
      "skerry_manifest_url_polls_total",
      "Questions to the manifest URL by what came of them.",
      ["result"],
    );
  }

  /**
   * Delivers what the URL says now and every later set that differs.
   *
   * Ends without an error when `signal` aborts. To be run once.
   */
  async *run(signal: AbortSignal): AsyncGenerator<SourceSet, void, undefined> {
    const { checkpoint, clock } = this.#deps;
    const { checkFrequencyMs = 20_000 } = this.#options;
    await using tasks = new TaskGroup(signal);
    tasks.start((stop) => checkpoint.run(stop));
    this.#held = await checkpoint.load() ?? this.#held;
    while (!tasks.signal.aborted) {
      try {
        const set = await this.#poll(tasks.signal);
        if (set !== undefined && !tasks.signal.aborted) yield set;
        await clock.sleep(checkFrequencyMs, tasks.signal);
      } catch (error) {
        if (!tasks.signal.aborted) throw error;
      }
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** What is wrong with the URL or with parts of its answer at present. */
  report(): readonly FileReport[] {
    return this.#reports;
  }

  /** The URL, without what has to stay secret. */
  get location(): string {
    return this.#shownUrl;
  }

  /** How well the source does; empty before the URL was asked for the first time. */
  conditions(): readonly SourceCondition[] {
    const conditions = this.#reporter.conditions();
    const failure = this.#deps.checkpoint.failure?.();
    if (conditions.length === 0) return [];
    const startMs = wallTimeOf(this.#start, momentOf(this.#deps.clock));
    return [...conditions, checkpointCondition(failure, startMs)];
  }

  async #poll(signal: AbortSignal): Promise<SourceSet | undefined> {
    const taken = await this.#ask(signal);
    this.#polls.inc({ result: taken.kind });
    const outage: FileReport[] = taken.kind === "failed"
      ? [{
        kind: "unreachable",
        file: this.#shownUrl,
        message:
          `Cannot take manifests from "${this.#shownUrl}": ${taken.reason}`,
        ...(taken.fault !== undefined && { fault: taken.fault }),
      }]
      : [];
    this.#reports = [...outage, ...this.#accepted?.reports ?? []];
    this.#reporter.update(this.#reports);
    return this.#next(taken);
  }

  /** The set to deliver after a question, if it is another than the one before. */
  #next(taken: Taken): SourceSet | undefined {
    const before = this.#state;
    if (taken.kind === "failed") {
      const isEmpty = this.#held.pods.length + this.#held.objects.length === 0;
      if (before !== "silent" || isEmpty) return undefined;
      this.#state = "restored";
      return { source: "http", op: "restore", ...this.#held };
    }
    this.#state = "speaking";
    if (taken.kind === "unchanged" && before === "speaking") return undefined;
    return { source: "http", ...this.#held };
  }

  async #ask(signal: AbortSignal): Promise<Taken> {
    const { clock } = this.#deps;
    const prepared = await this.#prepare();
    if (prepared.kind === "failed") return prepared;
    const { request, keys } = prepared;
    const answer = await requestUrl(request, { clock }, signal);
    switch (answer.kind) {
      case "failed":
        return answer;
      case "not_modified":
        return { kind: "unchanged" };
      case "body": {
        const fault = keys.length === 0
          ? undefined
          : await this.#signatureFault(answer.body, prepared, signal);
        return fault === undefined
          ? this.#take(answer)
          : { kind: "failed", reason: fault, fault: "InvalidSignature" };
      }
    }
  }

  /** Takes an answer that is whole and comes from whom it should. */
  #take(answer: UrlAnswer & { readonly kind: "body" }): Taken {
    const { body, validators } = answer;
    const digest = createHash("sha256").update(body).digest("hex");
    if (this.#accepted?.digest === digest) {
      this.#accepted = { ...this.#accepted, validators };
      return { kind: "unchanged" };
    }
    if (this.#refused?.digest === digest) {
      const { reason } = this.#refused;
      return { kind: "failed", reason, fault: "InvalidAnswer" };
    }
    const { nodeName, unknownFields = "refuse" } = this.#options;
    const read = readUrlContent(body, this.#held, {
      ...this.#deps,
      nodeName,
      unknownFields,
      url: this.#url.href,
      shownUrl: this.#shownUrl,
    });
    if (read.kind === "refused") {
      const reason = `its answer is not valid: ${read.reason}`;
      this.#refused = { digest, reason };
      return { kind: "failed", reason, fault: "InvalidAnswer" };
    }
    const { content, reports } = read;
    this.#accepted = { digest, validators, reports };
    const isSame = sameContent(this.#held, content);
    this.#held = content;
    // The store writes nothing that it has already.
    this.#deps.checkpoint.save(content);
    return { kind: isSame ? "unchanged" : "changed" };
  }

  async #signatureFault(
    body: Uint8Array,
    prepared: Prepared & { readonly kind: "ready" },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const url = new URL(this.#url);
    url.pathname += ".sig";
    const request: UrlRequest = {
      ...prepared.request,
      url,
      maxBytes: MAX_SIGNATURE_BYTES,
      validators: undefined,
    };
    const answer = await requestUrl(request, this.#deps, signal);
    const fault = answer.kind === "body"
      ? signatureFault(body, answer.body, prepared.keys)
      : answer.kind === "failed"
      ? answer.reason
      : "it answered 304, wanted 200";
    return fault &&
      `its signature at "${showUrl(url)}" does not hold: ${fault}`;
  }

  /** Certificates and keys are read each time, since others renew them. */
  async #prepare(): Promise<Prepared> {
    const { publicKeyFiles = [], headers = {} } = this.#options;
    try {
      const tls = await this.#tls();
      const keys: KeyObject[] = [];
      for (const path of publicKeyFiles) {
        const key = parsePublicKey(await this.#readPem(path));
        if (key === undefined) {
          const reason = `"${path}" is no Ed25519 public key in PEM`;
          return { kind: "failed", reason };
        }
        keys.push(key);
      }
      const request: UrlRequest = {
        url: this.#url,
        headers,
        tls,
        maxBytes: MAX_MANIFEST_BYTES,
        isSigned: keys.length > 0,
        validators: this.#accepted?.validators,
      };
      return { kind: "ready", request, keys };
    } catch (error) {
      return { kind: "failed", reason: describeError(error) };
    }
  }

  async #tls(): Promise<DownloadTls | undefined> {
    const { caFile, certFile, keyFile } = this.#options;
    if (caFile === undefined) return undefined;
    return {
      ca: await this.#readPem(caFile),
      ...(certFile !== undefined && { cert: await this.#readPem(certFile) }),
      ...(keyFile !== undefined && { key: await this.#readPem(keyFile) }),
    };
  }

  async #readPem(path: string): Promise<string> {
    const found = await this.#deps.readFile(path, MAX_PEM_BYTES);
    switch (found.kind) {
      case "read":
        return new TextDecoder().decode(found.bytes);
      case "missing":
        throw new Error(`Cannot read "${path}": it does not exist`);
      case "not_regular":
        throw new Error(
          `Cannot read "${path}": it is of type "${found.what}", wanted a regular file`,
        );
      case "too_large":
        throw new Error(
          `Cannot read "${path}": it is longer than ${MAX_PEM_BYTES} bytes`,
        );
    }
  }

  get #shownUrl(): string {
    return showUrl(this.#url);
  }
}

/** An answer that was taken. */
interface Accepted {
  readonly digest: string;
  readonly validators: Validators;
  readonly reports: readonly FileReport[];
}

/** What came of one question. */
type Taken =
  | { readonly kind: "changed" }
  | { readonly kind: "unchanged" }
  | {
    readonly kind: "failed";
    readonly reason: string;
    readonly fault?: OutageFault;
  };

type Prepared =
  | {
    readonly kind: "ready";
    readonly request: UrlRequest;
    readonly keys: readonly KeyObject[];
  }
  | { readonly kind: "failed"; readonly reason: string };

// The authorities of a whole distribution have some 250 KiB.
const MAX_PEM_BYTES = 4 * 1024 * 1024;

// 88 letters; the rest is for whoever breaks lines.
const MAX_SIGNATURE_BYTES = 1024;
