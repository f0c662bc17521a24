/**
 * Pulling with one credential after the other.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { defined } from "../../base/mod.ts";
import { NOT_SHOWN } from "../../base/text/mod.ts";
import { CriError, type RegistryAuth } from "../../cri/model/mod.ts";
import type { PullCredential } from "../credentials/mod.ts";

/** What a pull brought, and what the registry was shown for it. */
export interface TriedPull {
  readonly ref: string;
  /** Absent when it was asked as anyone. */
  readonly credential: PullCredential | undefined;
}

/**
 * Asks with each credential until one is good, and without any as anyone.
 *
 * As upstream all are tried, whatever the registry said of the one before, and nobody is
 * asked as anyone when all have failed. What a registry says is cleared of passwords and tokens: one
 * that repeats them would put them into events.
 *
 * @throws {CriError} when there was one try, or the runtime is away
 * @throws {AggregateError} with what was said of each
 */
export function tryCredentials(
  credentials: readonly PullCredential[],
  pull: (auth: RegistryAuth | undefined) => Promise<string>,
): Promise<TriedPull> {
  return credentials.length > 0
    ? tryEach(credentials, pull)
    : pull(undefined).then((ref) => ({ ref, credential: undefined }));
}

async function tryEach(
  credentials: readonly PullCredential[],
  pull: (auth: RegistryAuth) => Promise<string>,
): Promise<TriedPull> {
  const failures: unknown[] = [];
  for (const credential of credentials) {
    const { username, password, identityToken, registryToken } = credential;
    const auth = defined({
      username,
      password: password.reveal(),
      identityToken: identityToken?.reveal(),
      registryToken: registryToken?.reveal(),
    });
    try {
      return { ref: await pull(auth), credential };
    } catch (error) {
      const cleared = withoutSecrets(error, auth);
      if (isOver(error)) throw cleared;
      failures.push(cleared);
    }
  }
  if (failures.length === 1) throw failures[0];
  throw new AggregateError(failures, "No credential was good");
}

/** Nothing that another credential could change. */
function isOver(error: unknown): boolean {
  return !(error instanceof CriError) || OVER.has(error.kind);
}

const OVER: ReadonlySet<CriError["kind"]> = new Set([
  "cancelled",
  "denied",
  "unavailable",
]);

/** Shorter ones are part of too many words to be taken out of them. */
const SHORTEST_CLEARED = 4;

/** The same error without password and tokens, in the forms in which they are sent. */
function withoutSecrets(error: unknown, auth: RegistryAuth): unknown {
  if (!(error instanceof CriError)) return error;
  const { username, password, identityToken = "", registryToken = "" } = auth;
  const forms = [password, identityToken, registryToken]
    .filter((secret) => secret.length >= SHORTEST_CLEARED)
    .flatMap((secret) => [
      Buffer.from(`${username}:${secret}`).toString("base64"),
      secret,
      encodeURIComponent(secret),
    ]);
  const clear = (text: string): string =>
    forms.reduce((rest, form) => rest.replaceAll(form, NOT_SHOWN), text);
  const { kind, method, detail, brief } = error;
  const cleared = clear(detail);
  if (cleared === detail) return error;
  // Its cause has the same words.
  return new CriError({
    kind,
    method,
    detail: cleared,
    brief: brief && clear(brief),
  });
}
