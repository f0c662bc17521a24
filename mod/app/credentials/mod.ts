/**
 * The credentials of a node of a cluster: those of its kubeconfig, or a certificate that the
 * agent asks for, keeps on the disk and renews.
 *
 * With a bootstrap kubeconfig the agent waits for its first certificate as long as that
 * takes; what asks the API server meanwhile waits with it, and nothing else does.
 *
 * @example What lies in the directory of certificates can be absent
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { secretFiles } from "./mod.ts";
 *
 * const none: typeof secretFiles = {
 *   read: () => Promise.resolve(undefined),
 *   replace: () => Promise.resolve(),
 *   remove: () => Promise.resolve(),
 * };
 * strictEqual(await none.read("/pki/kubelet-client-current.pem"), undefined);
 * ```
 *
 * @module
 */

export {
  readKubeFile,
  replaceByStaging,
  secretFiles,
} from "./credential_files.ts";
export {
  type CredentialSettings,
  NodeCredentials,
  type NodeCredentialsDeps,
} from "./node_credentials.ts";
