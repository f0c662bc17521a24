/**
 * What the transport needs from elsewhere.
 *
 * @module
 */

import type { KubeIdentity } from "../config/mod.ts";

/** Gives the credentials of the moment, such as a `KubeconfigFile`. */
export interface IdentitySource {
  /** @throws when there are none; the message names no secret */
  load(): Promise<KubeIdentity>;
}

/** What is sent. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Connections to one API server with the same certificates. What is under way when it is
 * disposed goes on.
 */
export interface ApiConnection extends Disposable {
  /** Resolves when the head of an answer is there; a redirect is an answer. */
  fetch(url: string, request: SentRequest): Promise<Response>;
}

/** Makes connections. @throws when certificate and key do not fit together */
export type OpenConnection = (identity: KubeIdentity) => ApiConnection;
