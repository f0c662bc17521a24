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
  // A registry may remember what it was shown before.
  const secrets = credentials.map(authOf).flatMap(formsOf)
    .sort((a, b) => b.length - a.length);
  for (const credential of credentials) {
    try {
      return { ref: await pull(authOf(credential)), credential };
    } catch (error) {
      const cleared = withoutSecrets(error, secrets);
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

function authOf(
  { username, password, identityToken, registryToken }: PullCredential,
): RegistryAuth {
  return defined({
    username,
    password: password.reveal(),
    identityToken: identityToken?.reveal(),
    registryToken: registryToken?.reveal(),
  });
}

/** Password and tokens in the forms in which they are sent and quoted. */
function formsOf(
  { username, password, identityToken = "", registryToken = "" }: RegistryAuth,
): string[] {
  return [password, identityToken, registryToken]
    .filter((secret) => secret.length >= SHORTEST_CLEARED)
    .flatMap((secret) => {
      // Half a pair of surrogates has no form in which it could be sent.
      const sent = secret.toWellFormed();
      const component = encodeURIComponent(sent);
      return [
        Buffer.from(`${username}:${sent}`).toString("base64"),
        secret,
        sent,
        component,
        formEncoded(component),
        JSON.stringify(sent).slice(1, -1),
      ];
    });
}

/** As Go writes the fields of a form. */
function formEncoded(component: string): string {
  return component.replaceAll("%20", "+").replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The same error without any of them. */
function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof CriError)) return error;
  const clear = (text: string): string =>
    secrets.reduce((rest, form) => rest.replaceAll(form, NOT_SHOWN), text);
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
