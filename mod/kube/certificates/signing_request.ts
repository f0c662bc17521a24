/**
 * Certificates by CertificateSigningRequest (`certificates.k8s.io/v1`).
 *
 * @module
 */

import { type Clock, deadline, isRecord, nextDelay } from "../../base/mod.ts";
import { decodeBase64 } from "../../base/text/mod.ts";
import { ApiFailure, hasFailed } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { KubeKind, kubeResource } from "../objects/mod.ts";
import type { ApiCaller } from "../transport/mod.ts";
import {
  type CertificateDraft,
  certificateRequest,
  type NewKey,
  publicKeyOf,
} from "./certificate_request.ts";

/** Who signs, and for what. */
export interface SigningWish {
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly draft: CertificateDraft;
  /** Absent: the signer decides. */
  readonly expirationSeconds?: number;
}

/** A wish with its key, and who is told while it is not granted. */
export interface KeyedSigningWish extends SigningWish {
  readonly key: NewKey;
  readonly clock: Clock;
  /** Is told once the name of a request that somebody has to decide on. */
  readonly whenPending?: (name: string) => void;
}

/** What came of a request. */
export type Signing =
  | { readonly kind: "issued"; readonly cert: string }
  /** Somebody, or a controller, has decided against it. */
  | { readonly kind: "denied"; readonly message: string };

/** Upstream's certificateWaitTimeout: nobody approves any more what waits for longer. */
const APPROVAL_MS = 15 * 60_000;

/** What a controller has not approved by then waits for a person. */
const CONTROLLER_MS = 10_000;

/** Controllers approve within a second or two, people later. */
const POLL = { baseMs: 1_000, maxMs: 15_000 };

const CSR = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
};

/**
 * Asks for a certificate and waits until it is issued.
 *
 * The request is named by the key, the subject and the usages: one that was made before for
 * the same key is waited for, and no other is made.
 *
 * @throws {ApiFailure} When a call fails; `Timeout` when nobody decides within 15 minutes.
 */
export async function requestCertificate(
  api: ApiCaller,
  wish: KeyedSigningWish,
  signal: AbortSignal,
): Promise<Signing> {
  const { clock } = wish;
  let tell = wish.whenPending;
  const tellAtMs = clock.monotonic() + CONTROLLER_MS;
  using limit = deadline(clock, APPROVAL_MS, signal);
  const requests = new KubeKind(api, kubeResource(CSR));
  const name = await nameOf(wish);
  const place = { namespace: "", name };
  let pauseMs: number | undefined;
  let request = await makeOrFind(requests, name, wish, signal);
  for (;;) {
    const signing = judge(request);
    if (signing !== undefined) return signing;
    if (clock.monotonic() >= tellAtMs) {
      tell?.(name);
      tell = undefined;
    }
    pauseMs = nextDelay(pauseMs, POLL);
    try {
      await clock.sleep(pauseMs, limit.signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new ApiFailure(
        "Timeout",
        `Cannot get a certificate: nobody has approved the request "${name}" within ${
          APPROVAL_MS / 60_000
        } minutes`,
        { cause: error },
      );
    }
    request = await requests.get(place, signal);
  }
}

async function makeOrFind(
  requests: KubeKind<ApiObject>,
  name: string,
  wish: KeyedSigningWish,
  signal: AbortSignal,
): Promise<ApiObject> {
  const { signerName, usages, expirationSeconds, draft, key } = wish;
  const pem = await certificateRequest(draft, key);
  const object = {
    ...CSR,
    metadata: { name },
    spec: {
      request: btoa(pem),
      signerName,
      usages,
      ...expirationSeconds !== undefined && { expirationSeconds },
    },
  };
  try {
    return await requests.create(object, signal);
  } catch (error) {
    if (!hasFailed(error, "AlreadyExists")) throw error;
    return await requests.get({ namespace: "", name }, signal);
  }
}

/** As upstream's digestedName: the same for the same key, and telling nothing of it. */
async function nameOf(
  { key, draft, usages }: KeyedSigningWish,
): Promise<string> {
  const words = JSON.stringify([draft, usages]);
  const text = new TextEncoder().encode(words);
  const bytes = new Uint8Array([...await publicKeyOf(key), ...text]);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `node-csr-${new Uint8Array(digest).toHex()}`;
}

/** @returns `undefined` while nobody has decided, or what was approved is not issued */
function judge(request: ApiObject): Signing | undefined {
  const status = Reflect.get(request, "status");
  const { conditions, certificate } = isRecord(status) ? status : {};
  for (const each of Array.isArray(conditions) ? conditions : []) {
    const condition = isRecord(each) ? each : {};
    const type = condition["type"];
    if (type !== "Denied" && type !== "Failed") continue;
    const { reason = "", message = "" } = condition;
    return { kind: "denied", message: `${type}: ${reason} ${message}`.trim() };
  }
  if (typeof certificate !== "string" || certificate === "") return undefined;
  const bytes = decodeBase64(certificate);
  if (bytes !== undefined) {
    return { kind: "issued", cert: new TextDecoder().decode(bytes) };
  }
  throw new ApiFailure(
    "Garbage",
    `Cannot get a certificate: that of "${request.metadata.name}" is no base64`,
  );
}
