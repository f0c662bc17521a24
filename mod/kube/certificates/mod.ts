/**
 * Certificates of a node by CertificateSigningRequest: the first one with the token of a
 * bootstrap kubeconfig, a new one when most of its life is over, and those with which the
 * node serves. The old one is in use until the new one works, and a file has the old pair or
 * the new one, never half of it.
 *
 * @example What a node asks for
 * ```ts
 * import { match, strictEqual } from "node:assert/strict";
 * import { certificateRequest, newKey, nodeDraft } from "./mod.ts";
 *
 * const draft = nodeDraft("kiosk-1");
 * strictEqual(draft.commonName, "system:node:kiosk-1");
 * const request = await certificateRequest(draft, await newKey());
 * match(request, /^-----BEGIN CERTIFICATE REQUEST-----\n/);
 * ```
 *
 * @module
 */

export {
  CertificateKeeper,
  type CertificateKeeperDeps,
  type CertificateKeeperOptions,
} from "./certificate_keeper.ts";
export {
  type CertificateDraft,
  certificateRequest,
  type NewKey,
  newKey,
} from "./certificate_request.ts";
export { type KeyPair, readKeyPair } from "./key_pair.ts";
export {
  NODE_SIGNERS,
  nodeDraft,
  nodeKubeconfig,
  tryCertificate,
  withCertificate,
} from "./node_identity.ts";
export type { SecretFiles } from "./ports.ts";
export {
  type KeyedSigningWish,
  requestCertificate,
  type Signing,
  type SigningWish,
} from "./signing_request.ts";
