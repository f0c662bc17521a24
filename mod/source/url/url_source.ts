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
import { nextDelay, TaskGroup } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { FileReporter, type FileReporterDeps } from "../file/mod.ts";
import {
  type FileReport,
  isEmptyContent,
  NO_CONTENT,
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
  UrlFault,
  type UrlRequest,
  type Validators,
} from "./url_request.ts";

/** How a {@linkcode UrlSource} works. */
export interface UrlSourceOptions extends UrlCredentialFiles {
  /** Of scheme http or https, without user and password: it is part of the UIDs. */
  readonly url: string;
  /** The node's name as configured, in any case. */
  readonly nodeName: string;
  /** Sent to the host of `url` and to no other, however it redirects. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** How often the URL is asked. */
  readonly checkFrequencyMs: number;
  /** What becomes of fields that the API does not have. */
  readonly unknownFields: UnknownFields;
}

/** What a {@linkcode UrlSource} is built on. */
export interface UrlSourceDeps extends FileReporterDeps {
  readonly checkpoint: SetCheckpoint;
  /** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
  readonly readFile: ReadFile;
  /** What this node has against a valid pod; a fault refuses that pod alone. */
  readonly check: PodCheck;
}

/**
 * Delivers the pods and objects of a URL as full sets, one for each change.
 *
 * Only an answer that was read changes anything, and if a signature is required it must
 * fit. Any failure keeps what there is and is reported once. If the first question fails,
 * the pods of the checkpoint are used. A checkpoint that cannot be read is read again
 * later. It is not overwritten while a part of the answer is faulty and may be in it.
 */
export class UrlSource {
  readonly #url: URL;
  readonly #options: UrlSourceOptions;
  readonly #deps: UrlSourceDeps;
  readonly #reporter: FileReporter;
  readonly #polls: Counter;

  /** What is to run, by an answer or by the checkpoint. */
  #held: SourceContent = NO_CONTENT;
  /** The answer that was taken last; `undefined` while the URL is silent. */
  #accepted: Accepted | undefined;
  /** Whether the checkpoint was delivered, since the URL does not answer. */
  #isRestored = false;
  /** How long to wait before the checkpoint is asked; infinite when it is known. */
  #recallMs = 0;
  /** What it had; `undefined` until it was asked for the first time. */
  #expected: readonly Pod[] | undefined;
  /** The answer that was refused last, so that it is not read again and again. */
  #refused: { readonly digest: string; readonly reason: string } | undefined;

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
    const { checkFrequencyMs } = this.#options;
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
    return this.#reporter.reports;
  }

  /**
   * The pods of the last answer to an earlier agent, so that no other pod takes their place
   * until the URL answers; `undefined` until they are read.
   */
  get expected(): readonly Pod[] | undefined {
    return this.#expected;
  }

  /** The URL, without what has to stay secret. */
  get location(): string {
    return showUrl(this.#url);
  }

  /** How well the source does; empty before the URL was asked for the first time. */
  conditions(): readonly SourceCondition[] {
    return this.#reporter.conditions(this.#deps.checkpoint.failure());
  }

  /**
   * Asks the checkpoint until it is known what it has.
   *
   * @returns Whether it is known since now.
   */
  async #recall(): Promise<boolean> {
    if (this.#recallMs === Infinity) return false;
    const kept = await this.#deps.checkpoint.load();
    // One that cannot be read holds up no pod.
    this.#expected = kept.kind === "present" ? kept.content.pods : [];
    if (kept.kind === "unknown") {
      this.#recallMs = nextDelay(this.#recallMs, RECALL);
      return false;
    }
    this.#recallMs = Infinity;
    if (kept.kind === "present") {
      this.#held = uniteContents(this.#held, kept.content);
    }
    // What was taken without it is read again, with what it has of faulty parts.
    this.#accepted &&= { ...this.#accepted, mayChange: true };
    return true;
  }

  async #poll(signal: AbortSignal): Promise<SourceSet | undefined> {
    const isFirst = this.#accepted === undefined;
    const taken = await this.#ask(signal);
    this.#polls.inc({ result: taken.kind });
    const reports = this.#accepted?.reports ?? [];
    if (taken.kind === "failed") {
      this.#reporter.update([this.#outage(taken), ...reports]);
      return this.#restored();
    }
    this.#reporter.update(reports);
    if (taken.kind === "unchanged" && !isFirst) return undefined;
    const set: SourceSet = { source: "http", ...this.#held };
    return this.#accepted?.isLacking
      ? { ...set, unknown: [this.location] }
      : set;
  }

  #outage({ reason, fault }: FailedFetch): FileReport {
    const file = this.location;
    const message = `Cannot take manifests from "${file}": ${reason}`;
    const outage = { kind: "unreachable", file, message } as const;
    return fault === undefined ? outage : { ...outage, fault };
  }

  /** The content of the checkpoint, delivered once while the URL has given nothing yet. */
  #restored(): SourceSet | undefined {
    const isEmpty = isEmptyContent(this.#held);
    if (this.#accepted !== undefined || this.#isRestored || isEmpty) {
      return undefined;
    }
    this.#isRestored = true;
    return { source: "http", op: "restore", ...this.#held };
  }

  async #ask(signal: AbortSignal): Promise<Taken> {
    let answer: UrlAnswer;
    try {
      const { headers } = this.#options;
      const { readFile } = this.#deps;
      const { tls, keys } = await readCredentials(this.#options, readFile);
      const request: UrlRequest = {
        url: this.#url,
        headers,
        tls,
        maxBytes: MAX_MANIFEST_BYTES,
        isSigned: keys.length > 0,
        validators: this.#accepted?.mayChange === true
          ? undefined
          : this.#accepted?.validators,
      };
      answer = await requestUrl(request, this.#deps, signal);
      if (answer.kind === "not_modified") return { kind: "unchanged" };
      const reason = keys.length === 0
        ? undefined
        : await this.#signatureFault(answer.body, { request, keys }, signal);
      if (reason !== undefined) {
        return { kind: "failed", reason, fault: "InvalidSignature" };
      }
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "failed", reason: describeError(error) };
    }
    return this.#take(answer);
  }

  /** Takes an answer that is whole and whose signature is right. */
  #take(answer: UrlAnswer & { readonly kind: "body" }): Taken {
    const { body, validators } = answer;
    const digest = createHash("sha256").update(body).digest("hex");
    const before = this.#accepted;
    if (before?.digest === digest && !before.mayChange) {
      this.#accepted = { ...before, validators };
      return { kind: "unchanged" };
    }
    if (this.#refused?.digest === digest) {
      const { reason } = this.#refused;
      return { kind: "failed", reason, fault: "InvalidAnswer" };
    }
    const read = readUrlContent(body, this.#held, {
      ...this.#deps,
      ...this.#options,
      url: this.#url.href,
      shownUrl: this.location,
    });
    if (read.kind === "refused") {
      const reason = `its answer is not valid: ${read.reason}`;
      this.#refused = { digest, reason };
      return { kind: "failed", reason, fault: "InvalidAnswer" };
    }
    const { content, reports, isByNode: mayChange } = read;
    // What a faulty part was before, only the checkpoint knows.
    const isLacking = this.#recallMs < Infinity && reports.length > 0;
    const isSame = sameContent(this.#held, content) &&
      isLacking === (before?.isLacking ?? false);
    this.#accepted = { digest, validators, reports, isLacking, mayChange };
    this.#held = content;
    if (!isLacking) {
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
    try {
      const answer = await requestUrl(request, this.#deps, signal);
      const fault = answer.kind === "body"
        ? signatureFault(body, answer.body, asked.keys)
        : "it answered 304, wanted 200";
      if (fault !== undefined) throw new UrlFault(fault);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      const reason = describeError(error);
      return `its signature at "${showUrl(url)}" does not hold: ${reason}`;
    }
  }
}

/** An answer that was taken. */
interface Accepted {
  readonly digest: string;
  readonly validators: Validators;
  readonly reports: readonly FileReport[];
  /** Whether the same answer is read again: the node refuses a part, or more is known now. */
  readonly mayChange: boolean;
  /** Whether parts are faulty, and the checkpoint that may have them unknown. */
  readonly isLacking: boolean;
}

/** What came of one question. */
type Taken = { readonly kind: "changed" | "unchanged" } | FailedFetch;

interface FailedFetch {
  readonly kind: "failed";
  readonly reason: string;
  readonly fault?: OutageFault;
}

// As for records that cannot be written.
const RECALL = { baseMs: 1000, maxMs: 60_000 };

// 88 letters; the rest is for line breaks.
const MAX_SIGNATURE_BYTES = 1024;
