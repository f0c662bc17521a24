/**
 * Connections by the platform's HTTP client.
 *
 * @module
 */

import type { KubeIdentity } from "../config/mod.ts";
import type { ApiConnection } from "./ports.ts";

/**
 * Makes an HTTP client of its own, which speaks HTTP/2 where the server does: then all
 * calls and streams share one connection. Nothing is sent yet.
 *
 * The authorities of the kubeconfig are believed besides those that the platform knows:
 * Deno has no way to take only them.
 *
 * @throws {Error} When certificate and key do not fit together.
 */
export function openConnection(identity: KubeIdentity): ApiConnection {
  const { ca, client: own, proxyUrl } = identity;
  const client = Deno.createHttpClient({
    ...ca !== undefined && { caCerts: [ca] },
    ...own && { cert: own.cert, key: own.key.reveal() },
    ...proxyUrl && { proxy: proxyOf(proxyUrl.reveal()) },
  });
  return {
    fetch: (url, request) =>
      fetch(url, { ...request, client, redirect: "manual" }),
    [Symbol.dispose]: () => client.close(),
  };
}

function proxyOf(text: string): Deno.Proxy {
  const url = new URL(text);
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  url.username = "";
  url.password = "";
  return username === ""
    ? { url: url.href }
    : { url: url.href, basicAuth: { username, password } };
}
