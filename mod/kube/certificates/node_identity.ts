/**
 * How a node shows its own certificate.
 *
 * @module
 */

import type { KubeAccess, KubeIdentity } from "../config/mod.ts";
import {
  type IdentitySource,
  KubeTransport,
  type KubeTransportDeps,
} from "../transport/mod.ts";
import type { CertificateDraft } from "./certificate_request.ts";
import type { KeyPair } from "./key_pair.ts";

/** What the client certificate of a node says: who it is for NodeRestriction and RBAC. */
export function nodeDraft(nodeName: string): CertificateDraft {
  return {
    commonName: `system:node:${nodeName}`,
    organizations: ["system:nodes"],
  };
}

/** Who signs the certificates of nodes, and what for; as the kubelet asks with such a key. */
export const NODE_SIGNERS = {
  client: {
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "client auth"],
  },
  serving: {
    signerName: "kubernetes.io/kubelet-serving",
    usages: ["digital signature", "server auth"],
  },
} as const;

/** The way of a kubeconfig, with a certificate of the node's own as soon as there is one. */
export function withCertificate(
  source: IdentitySource,
  pair: () => KeyPair | undefined,
): IdentitySource {
  return {
    load: async () => {
      const identity = await source.load();
      const own = pair();
      return own === undefined ? identity : shown(identity, own);
    },
  };
}

function shown(
  { token: _none, ...way }: KubeIdentity,
  { cert, key }: KeyPair,
): KubeIdentity {
  return { ...way, client: { cert, key } };
}

/**
 * Asks the server something with a new certificate alone.
 *
 * @throws {ApiFailure} When the server does not take it, or cannot be reached.
 */
export async function tryCertificate(
  pair: KeyPair,
  deps: KubeTransportDeps & { readonly userAgent: string },
  signal: AbortSignal,
): Promise<void> {
  const source = withCertificate(deps.source, () => pair);
  await using transport = new KubeTransport({ ...deps, source }, deps);
  await transport.call({
    what: "use the new certificate",
    method: "GET",
    path: "/version",
    timeoutMs: 30_000,
    maxBytes: 64 * 1024,
  }, signal);
}

/**
 * The text of a kubeconfig for a node that has only one for bootstrapping: the same way, with
 * the certificate that it will get (the kubelet's writeKubeconfigFromBootstrapping).
 *
 * @param pairPath where certificate and key will be, in one file
 */
export function nodeKubeconfig(access: KubeAccess, pairPath: string): string {
  const { server, ca, proxyUrl, namespace } = access;
  const authority = ca === undefined
    ? {}
    : ca.kind === "file"
    ? { "certificate-authority": ca.path }
    : { "certificate-authority-data": btoa(ca.text.reveal()) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name: "default-cluster",
      cluster: {
        server,
        ...authority,
        ...proxyUrl && { "proxy-url": proxyUrl.reveal() },
      },
    }],
    users: [{
      name: "default-auth",
      user: { "client-certificate": pairPath, "client-key": pairPath },
    }],
    contexts: [{
      name: "default-context",
      context: { cluster: "default-cluster", user: "default-auth", namespace },
    }],
    "current-context": "default-context",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
