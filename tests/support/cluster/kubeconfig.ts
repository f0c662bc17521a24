/**
 * Kubeconfigs, as an administrator hands them out.
 *
 * @module
 */

import type { Certificate } from "../peers/certificates.ts";

/** Who says so: by a certificate, or by a token. */
export type KubeUser = Certificate | { readonly token: string };

/** A server and who believes what of it. */
export interface KubeServer {
  /** Its URL. */
  readonly url: string;
  /** The certificate of the authority that it shows, as PEM. */
  readonly ca: string;
}

/** The text of a kubeconfig with all keys within; JSON is YAML. */
export function kubeconfig(server: KubeServer, user: KubeUser): string {
  const shown = "token" in user ? { token: user.token } : {
    "client-certificate-data": btoa(user.cert),
    "client-key-data": btoa(user.key),
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name: "test",
      cluster: {
        server: server.url,
        "certificate-authority-data": btoa(server.ca),
      },
    }],
    users: [{ name: "test", user: shown }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
