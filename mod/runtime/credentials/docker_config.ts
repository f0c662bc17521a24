/**
 * Logins as docker keeps them.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { decodeBase64, Hidden } from "../../base/text/mod.ts";
import {
  parseRegistryPattern,
  type RegistryPattern,
} from "./registry_pattern.ts";

/** What of a login is shown to a registry, or to the service that gives tokens for it. */
export interface LoginSecrets {
  /** Empty beside an identity token. */
  readonly username: string;
  readonly password: Hidden<string>;
  /** Stands for a user and a password, as `docker login` has it of some registries. */
  readonly identityToken?: Hidden<string>;
  /** Shown to the registry itself. */
  readonly registryToken?: Hidden<string>;
}

/** A login, and which images it is for. */
export interface RegistryLogin extends LoginSecrets {
  readonly pattern: RegistryPattern;
}

/** What a docker configuration holds, and what of it cannot be used. */
export interface DockerConfig {
  readonly logins: readonly RegistryLogin[];
  /** One sentence each; none of them shows a login. */
  readonly problems: readonly string[];
}

/** `config.json` has its logins under `auths`; all of the older `dockercfg` are logins. */
export type DockerConfigForm = "config.json" | "dockercfg";

/** Far more than anyone has. */
const MAX_LOGINS = 1_000;

/**
 * Reads a docker configuration. A login that cannot be used takes nothing from the others.
 * (Upstream refuses all of them.)
 *
 * @example A login in base64
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { readDockerConfig } from "./docker_config.ts";
 *
 * const text = '{"auths":{"registry.example":{"auth":"bWU6c2VjcmV0"}}}';
 * const { logins: [login] } = readDockerConfig(new TextEncoder().encode(text), "config.json");
 * strictEqual(login?.username, "me");
 * strictEqual(login.password.reveal(), "secret");
 * ```
 */
export function readDockerConfig(
  bytes: Uint8Array,
  form: DockerConfigForm,
): DockerConfig {
  const whole = parseJson(bytes);
  if (!isRecord(whole)) return refused("it is not a JSON object");
  const auths = form === "dockercfg" ? whole : whole["auths"] ?? {};
  if (!isRecord(auths)) return refused('its "auths" is not an object');
  const logins: RegistryLogin[] = [];
  const problems = form === "dockercfg" ? [] : helperProblems(whole);
  const entries = Object.entries(auths);
  for (const [location, entry] of entries.slice(0, MAX_LOGINS)) {
    const login = readLogin(location, entry);
    if (typeof login !== "string") logins.push(login);
    else problems.push(`its login for ${shown(location)} ${login}`);
  }
  if (entries.length > MAX_LOGINS) {
    problems.push(
      `it has ${entries.length} logins, of which only the first ${MAX_LOGINS} count`,
    );
  }
  return { logins, problems };
}

function refused(problem: string): DockerConfig {
  return { logins: [], problems: [problem] };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    // Neither error is passed on: the parser's words show what it could not read.
    if (error instanceof SyntaxError || error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}

/** Docker itself would start programs for these. */
function helperProblems(config: Readonly<Record<string, unknown>>): string[] {
  return ["credsStore", "credHelpers"].filter((field) => config[field])
    .map((field) => `its "${field}" is not used: no helper programs are run`);
}

/** The login, or what is wrong with it. */
function readLogin(location: string, entry: unknown): RegistryLogin | string {
  const pattern = parseRegistryPattern(location);
  if (pattern === undefined) return "names no registry";
  if (!isRecord(entry)) return "is not an object";
  const { identitytoken = "", registrytoken = "" } = entry;
  if (typeof identitytoken !== "string" || typeof registrytoken !== "string") {
    return "has a token that is not a text";
  }
  const token = registrytoken === ""
    ? undefined
    : { registryToken: new Hidden(registrytoken) };
  if (identitytoken !== "") {
    // What stands beside it as a user and a password is none: docker writes "<token>".
    const identityToken = new Hidden(identitytoken);
    return { pattern, ...NO_PAIR, identityToken, ...token };
  }
  const pair = readPair(entry);
  if (typeof pair === "string") return pair;
  if (pair !== undefined) return { pattern, ...pair, ...token };
  return token === undefined
    ? "has no user and no password"
    : { pattern, ...NO_PAIR, ...token };
}

type LoginPair = Pick<LoginSecrets, "username" | "password">;

const NO_PAIR: LoginPair = { username: "", password: new Hidden("") };

/** The user and the password, if there are any, or what is wrong with them. */
function readPair(
  entry: Readonly<Record<string, unknown>>,
): LoginPair | string | undefined {
  const { auth = "", username = "", password = "" } = entry;
  if (typeof auth !== "string") return 'has an "auth" that is not a text';
  if (auth !== "") {
    return decodePair(auth) ??
      'has an "auth" that is not the base64 of user:password';
  }
  if (typeof username !== "string" || typeof password !== "string") {
    return "has a user or a password that is not a text";
  }
  if (username === "" && password === "") return undefined;
  return { username, password: new Hidden(password) };
}

function decodePair(auth: string): LoginPair | undefined {
  // Some writers leave out the padding.
  const missing = auth.includes("=") ? 0 : (4 - auth.length % 4) % 4;
  const bytes = decodeBase64(auth + "=".repeat(missing));
  const text = bytes && new TextDecoder().decode(bytes);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 0) return undefined;
  const password = new Hidden(text.slice(colon + 1));
  return { username: text.slice(0, colon), password };
}

/** The registry of a login, without what might be a user and a password in it. */
function shown(location: string): string {
  const text = location.slice(location.lastIndexOf("@") + 1);
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
