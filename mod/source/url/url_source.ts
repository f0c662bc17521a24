/**
 * Pods from a URL that is asked again and again.
 *
 * @module
 */

import { createHash, type KeyObject } from "node:crypto";
import type { UnknownFields } from "../../api/fault/mod.ts";
import { MAX_MANIFEST_BYTES } from "../../api/text/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { Counter } from "../../base/telemetry/mod.ts";
import {
  type Moment,
  momentOf,
  nextDelay,
  TaskGroup,
  wallTimeOf,
} from "../../base/mod.ts";
import { FileReporter, type FileReporterDeps } from "../file/mod.ts";
import {
  checkpointCondition,
  type FileReport,
  type OutageFault,
  type PodCheck,
  sameContent,
  type SetCheckpoint,
  type SourceCondition,
} from "../mod.ts";
import {
  readCredentials,
  type ReadFile,
  signatureFault,
  type UrlCredentialFiles,
} from "./url_credentials.ts";
import type { SourceContent, SourceSet } from "../merge/mod.ts";
import { readUrlContent, uniteContents } from "./url_content.ts";
import {
  requestUrl,
  showUrl,
  type UrlAnswer,
  type UrlRequest,
  type Validators,
} from "./url_request.ts";

/** How a {@linkcode UrlSource} works. */
export interface UrlSourceOptions extends UrlCredentialFiles {
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
  readonly readFile: ReadFile;
  /** What this node has against a valid pod; a fault refuses that pod alone. */
  readonly check?: PodCheck;
}

/**
 * Delivers the pods and objects of a URL as full sets, one for each change.
 *
 * Only an answer that was read, and whose signature fits if one is wanted, changes
 * anything: whatever goes wrong otherwise keeps what there is and is told once. If
 * it goes wrong at the very first try, what the checkpoint has stands in. One that
 * cannot be read is asked again, and not written over while a part of the answer is
 * faulty and may be in it.
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
  /** Whether it is known what the checkpoint has. */
  #memory: "unknown" | "known" = "unknown";
  /** How long to wait before it is asked again. */
  #recallMs = Infinity;
  /** What it had; `undefined` until it was asked for the first time. */
  #expected: readonly Pod[] | undefined;
  /** Whether the last set lacked what only the checkpoint knows. */
  #wasLacking = false;
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
    let dueMs = -Infinity;
    while (!tasks.signal.aborted) {
      try {
        const isNews = await this.#recall();
        const isDue = isNews || clock.monotonic() >= dueMs;
        const set = isDue ? await this.#poll(tasks.signal) : undefined;
        if (set !== undefined && !tasks.signal.aborted) yield set;
        if (isDue) dueMs = clock.monotonic() + checkFrequencyMs;
        const leftMs = dueMs - clock.monotonic();
        await clock.sleep(Math.min(leftMs, this.#recallMs), tasks.signal);
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

  /**
   * The pods that the URL had when an agent before heard of it last, so that no other
   * pod takes their place while it is asked; `undefined` for the moment until that is known.
   */
  get expected(): readonly Pod[] | undefined {
    return this.#expected;
  }

  /** The URL, without what has to stay secret. */
  get location(): string {
    return this.#shownUrl;
  }

  /** How well the source does; empty before the URL was asked for the first time. */
  conditions(): readonly SourceCondition[] {
    const conditions = this.#reporter.conditions();
    const failure = this.#deps.checkpoint.failure();
    if (conditions.length === 0) return [];
    const startMs = wallTimeOf(this.#start, momentOf(this.#deps.clock));
    return [...conditions, checkpointCondition(failure, startMs)];
  }

  /**
   * Asks the checkpoint until it is known what it has.
   *
   * @returns Whether it is known since now.
   */
  async #recall(): Promise<boolean> {
    if (this.#memory === "known") return false;
    const kept = await this.#deps.checkpoint.load();
    // One that cannot be read holds up no pod.
    this.#expected = kept.kind === "present" ? kept.content.pods : [];
    if (kept.kind === "unknown") {
      const before = Number.isFinite(this.#recallMs)
        ? this.#recallMs
        : undefined;
      this.#recallMs = nextDelay(before, RECALL);
      return false;
    }
    this.#memory = "known";
    this.#recallMs = Infinity;
    if (kept.kind === "present") {
      this.#held = uniteContents(this.#held, kept.content);
    }
    // What was taken without it is read again, with what it has of faulty parts.
    this.#accepted = undefined;
    return true;
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
    const unknown = this.#accepted?.isLacking ? [this.#shownUrl] : [];
    const set: SourceSet = { source: "http", ...this.#held };
    return unknown.length === 0 ? set : { ...set, unknown };
  }

  async #ask(signal: AbortSignal): Promise<Taken> {
    const { clock } = this.#deps;
    const credentials = await readCredentials(
      this.#options,
      this.#deps.readFile,
    );
    if (credentials.kind === "failed") return credentials;
    const { tls, keys } = credentials;
    const request: UrlRequest = {
      url: this.#url,
      headers: this.#options.headers ?? {},
      tls,
      maxBytes: MAX_MANIFEST_BYTES,
      isSigned: keys.length > 0,
      validators: this.#accepted?.isByNode === true
        ? undefined
        : this.#accepted?.validators,
    };
    const answer = await requestUrl(request, { clock }, signal);
    switch (answer.kind) {
      case "failed":
        return answer;
      case "not_modified":
        return { kind: "unchanged" };
      case "body": {
        const fault = keys.length === 0
          ? undefined
          : await this.#signatureFault(answer.body, { request, keys }, signal);
        return fault === undefined
          ? this.#take(answer)
          : { kind: "failed", reason: fault, fault: "InvalidSignature" };
      }
    }
  }

  /** Takes an answer that is whole and whose signature is right. */
  #take(answer: UrlAnswer & { readonly kind: "body" }): Taken {
    const { body, validators } = answer;
    const digest = createHash("sha256").update(body).digest("hex");
    if (this.#accepted?.digest === digest && !this.#accepted.isByNode) {
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
    const { content, reports, isByNode } = read;
    // What a faulty part was before, only the checkpoint knows.
    const isLacking = this.#memory === "unknown" && reports.length > 0;
    const isSame = sameContent(this.#held, content) &&
      isLacking === this.#wasLacking;
    this.#accepted = { digest, validators, reports, isLacking, isByNode };
    this.#wasLacking = isLacking;
    this.#held = content;
    if (!isLacking) {
      this.#memory = "known";
      this.#recallMs = Infinity;
      // The store writes nothing that it has already.
      this.#deps.checkpoint.save(content);
    }
    return { kind: isSame ? "unchanged" : "changed" };
  }

  async #signatureFault(
    body: Uint8Array,
    asked: {
      readonly request: UrlRequest;
      readonly keys: readonly KeyObject[];
    },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const url = new URL(this.#url);
    url.pathname += ".sig";
    const request: UrlRequest = {
      ...asked.request,
      url,
      maxBytes: MAX_SIGNATURE_BYTES,
      validators: undefined,
    };
    const answer = await requestUrl(request, this.#deps, signal);
    const fault = answer.kind === "body"
      ? signatureFault(body, answer.body, asked.keys)
      : answer.kind === "failed"
      ? answer.reason
      : "it answered 304, wanted 200";
    return fault &&
      `its signature at "${showUrl(url)}" does not hold: ${fault}`;
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
  /** Whether the node refuses a part, so that the answer is read again. */
  readonly isByNode: boolean;
  /** Whether parts are faulty, and the checkpoint that may have them unknown. */
  readonly isLacking: boolean;
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

// As for records that cannot be written.
const RECALL = { baseMs: 1000, maxMs: 60_000 };

// 88 letters; the rest is for line breaks.
const MAX_SIGNATURE_BYTES = 1024;
