/**
 * Tokens of service accounts.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { Hidden } from "../../base/text/mod.ts";
import { ApiFailure } from "../../api/access/mod.ts";
import type { ApiCaller } from "../transport/mod.ts";
import { KubeKind, type KubeKindOptions } from "./kube_kind.ts";
import { kubeResource } from "./kube_resources.ts";

/** Which token is wanted. */
export interface TokenWish {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Empty: that of the API server. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The token ends with this object. */
  readonly boundTo?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
  };
}

/** A token that was given. */
export interface IssuedToken {
  readonly token: Hidden<string>;
  /** For how long, from when it was given: no time of day, which node and server may see otherwise. */
  readonly lifeMs: number;
}

/**
 * Asks for a token of a service account (`authentication.k8s.io/v1` TokenRequest).
 *
 * @throws {ApiFailure} When it is refused, does not get through or is garbage.
 */
export async function requestToken(
  api: ApiCaller,
  wish: TokenWish & KubeKindOptions,
  signal: AbortSignal,
): Promise<IssuedToken> {
  const { namespace, serviceAccount: name, boundTo } = wish;
  const resource = kubeResource({ apiVersion: "v1", kind: "ServiceAccount" });
  const place = { namespace, name, subresource: "token" };
  const answer = await new KubeKind(api, resource, wish).createSubresource(
    place,
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        audiences: wish.audiences,
        expirationSeconds: wish.expirationSeconds,
        ...boundTo !== undefined && { boundObjectRef: boundTo },
      },
    },
    signal,
  );
  const { token } = isRecord(answer["status"]) ? answer["status"] : {};
  // What the server made of the wish; it ends so long after the server's now.
  const { expirationSeconds: seconds } = isRecord(answer["spec"])
    ? answer["spec"]
    : {};
  if (
    typeof token !== "string" || token === "" || typeof seconds !== "number" ||
    seconds <= 0
  ) {
    throw new ApiFailure(
      "Garbage",
      `Cannot create token of serviceaccounts "${namespace}/${name}": the answer has no token, or none that expires`,
    );
  }
  return { token: new Hidden(token), lifeMs: seconds * 1_000 };
}
