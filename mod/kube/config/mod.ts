/**
 * Kubeconfigs: the way to an API server, and the credentials for it. Every fault names the
 * file, the context and the field, and shows no value that may be secret. Nothing is run:
 * what would need a program is refused.
 *
 * @example A kubeconfig that would run a program
 * ```ts
 * import { match } from "node:assert/strict";
 * import { readKubeconfig } from "./mod.ts";
 *
 * const text = `
 * current-context: main
 * contexts: [{ name: main, context: { cluster: main, user: node } }]
 * clusters: [{ name: main, cluster: { server: "https://api.example:6443" } }]
 * users: [{ name: node, user: { token: abc, exec: { command: login } } }]
 * `;
 * const reading = readKubeconfig(text, { path: "/etc/kubeconfig" });
 * const [fault] = reading.kind === "refused" ? reading.faults : [];
 * match(fault ?? "", /kubeconfig:5: context "main": users\[0\].user.exec: Forb/);
 * ```
 *
 * @module
 */

export { isCertificatePem, isKeyPem } from "./credential_text.ts";
export {
  type CredentialPlace,
  type KubeAccess,
  type KubeconfigReading,
  readKubeconfig,
} from "./kubeconfig.ts";
export {
  KubeconfigError,
  KubeconfigFile,
  type KubeIdentity,
  type ReadCredentialFile,
} from "./kubeconfig_file.ts";
