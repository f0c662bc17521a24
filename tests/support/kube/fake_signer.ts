/**
 * An API server that keeps requests for certificates, and whoever approves them.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import type { ApiCaller, ApiRequest } from "../../../mod/kube/transport/mod.ts";
import type { Authority } from "../peers/certificates.ts";
import { readSigningRequest } from "./signing_request_parts.ts";

/** A request that is kept. */
export interface KeptRequest {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  status: Record<string, unknown>;
}

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Keeps requests; a test decides on them. */
export class FakeSigner implements ApiCaller {
  readonly kept: Map<string, KeptRequest> = new Map();
  /** `create` and `get`, in order. */
  readonly calls: string[] = [];
  /** What the next call fails with. */
  failure: ApiFailure | undefined;
  /** What each call fails with. */
  failsAlways: ApiFailure | undefined;
  /** Whether each request is approved as it comes. */
  approves = false;
  /** Until when certificates are good. */
  endYear = 2030;
  readonly authority: Authority;

  constructor(authority: Authority) {
    this.authority = authority;
  }

  async call(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const failure = this.failsAlways ?? this.failure;
    this.failure = undefined;
    this.calls.push(request.method === "POST" ? "create" : "get");
    if (failure !== undefined) throw failure;
    const name = request.method === "POST"
      ? await this.#keep(request.body)
      : request.path.slice(PATH.length + 1);
    const kept = this.kept.get(name);
    if (kept === undefined) throw new ApiFailure("NotFound", "No such request");
    return {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name, uid: `uid-${name}`, resourceVersion: "1" },
      ...kept,
    };
  }

  stream(): Promise<AsyncIterable<Uint8Array>> {
    return Promise.reject(new Error("Cannot watch: nobody does"));
  }

  /** The only request, or the last one. */
  get last(): KeptRequest {
    const last = [...this.kept.values()].at(-1);
    if (last === undefined) throw new Error("Nothing was asked for");
    return last;
  }

  /** Issues what was asked for. */
  async approve(kept: KeptRequest): Promise<void> {
    kept.status = {
      conditions: [{ type: "Approved" }],
      certificate: btoa(await this.certify(kept)),
    };
  }

  /** The certificate for a request, in PEM. */
  async certify({ spec }: KeptRequest): Promise<string> {
    const { publicKey, subject } = readSigningRequest(pemIn(spec));
    const key = await crypto.subtle.importKey(
      "spki",
      publicKey,
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["verify"],
    );
    const name = subject.at(-1)?.slice("CN=".length) ?? "";
    const { endYear } = this;
    return await this.authority.certify(key, { name, endYear });
  }

  async #keep(body: unknown): Promise<string> {
    const { metadata, spec } = isRecord(body) ? body : {};
    const name = isRecord(metadata) ? `${metadata["name"]}` : "";
    if (this.kept.has(name)) {
      throw new ApiFailure("AlreadyExists", "It is there");
    }
    const kept = { name, spec: isRecord(spec) ? spec : {}, status: {} };
    this.kept.set(name, kept);
    if (this.approves) await this.approve(kept);
    return name;
  }
}

/** The request in PEM that a spec has. */
export function pemIn(spec: Readonly<Record<string, unknown>>): string {
  return atob(`${spec["request"]}`);
}
