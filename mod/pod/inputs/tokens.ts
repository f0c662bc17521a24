/**
 * The tokens of service accounts that a pod has as files.
 *
 * @module
 */

import type { Pod, ProjectedSource } from "../../api/types/mod.ts";

/** One token that a pod wants. */
export interface PodToken {
  /** Under which its text is kept among the Secrets; no Secret can have such a name. */
  readonly object: string;
  readonly serviceAccount: string;
  /** Empty stands for that of the API server. */
  readonly audience: string;
  readonly expirationSeconds: number;
}

/** The key of the text in the object that keeps a token. */
export const TOKEN_KEY = "token";

/** How the names of tokens begin, and no name of a Secret. */
const TOKEN_PREFIX = "token/";

/** Whether a name under which a Secret is kept is that of a token. */
export function isTokenName(name: string): boolean {
  return name.startsWith(TOKEN_PREFIX);
}

/** As upstream's DefaultExpirationSeconds of such a source. */
const EXPIRATION_SECONDS = 3_600;

/** The tokens that volumes of a pod name, each once. */
export function podTokens(pod: Pod): readonly PodToken[] {
  const tokens = (pod.spec.volumes ?? [])
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap((source) => tokenOf(pod, source) ?? []);
  return [...new Map(tokens.map((each) => [each.object, each])).values()];
}

/** The token that one source names; absent when it names none. */
export function tokenOf(
  { metadata: { uid }, spec }: Pod,
  { serviceAccountToken: source }: ProjectedSource,
): PodToken | undefined {
  if (source === undefined) return undefined;
  const { audience = "", expirationSeconds = EXPIRATION_SECONDS } = source;
  const serviceAccount = spec.serviceAccountName || "default";
  const object = TOKEN_PREFIX + [uid, expirationSeconds, audience].join("/");
  return { object, serviceAccount, audience, expirationSeconds };
}
