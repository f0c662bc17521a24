/**
 * Kubeconfigs for tests.
 *
 * @module
 */

/** A certificate to look at, for which there is no key. */
export const CERT_PEM =
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

/** A key to look at. */
export const KEY_PEM =
  "-----BEGIN PRIVATE KEY-----\nS3CR3TKEY\n-----END PRIVATE KEY-----";

/** The fields of a kubeconfig of one context. */
export interface KubeconfigDraft {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** A kubeconfig with the context `main`, in JSON over some lines. */
export function kubeconfigText(
  { cluster = {}, user = { token: "abc" }, context = {} }: KubeconfigDraft = {},
): string {
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "main",
      contexts: [{
        name: "main",
        context: { cluster: "edge", user: "node", ...context },
      }],
      clusters: [{
        name: "edge",
        cluster: { server: "https://api.example:6443", ...cluster },
      }],
      users: [{ name: "node", user }],
    },
    undefined,
    1,
  );
}
