/**
 * The credentials with which the image of a pod is pulled.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { ObjectGetter, ObjectRef } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  type DockerConfig,
  type DockerConfigForm,
  type LoginSecrets,
  readDockerConfig,
  type RegistryLogin,
} from "./docker_config.ts";
import { findLogins } from "./find_logins.ts";
import type { PodObjects } from "../../pod/inputs/mod.ts";

/** What is shown to a registry. */
export interface PullCredential extends LoginSecrets {
  /** The same for the same login, which it does not give away. */
  readonly fingerprint: string;
  /** The Secret of the pod that has it; absent for one that holds for the whole node. */
  readonly secret?: ObjectRef;
}

/** What of the credentials of a pod cannot be used, as an event says it. */
export interface CredentialProblem {
  readonly reason:
    | "FailedToRetrieveImagePullSecret"
    | "FailedToRetrieveImageCredentials";
  readonly message: string;
}

/** What an image can be pulled with. */
export interface FoundCredentials {
  /** In the order in which they are tried; none where the pull is anonymous. */
  readonly credentials: readonly PullCredential[];
  readonly problems: readonly CredentialProblem[];
}

/** Finds the credentials for an image of a pod. */
export interface CredentialFinder {
  /** @param request.repository the image's name with its registry, without tag and digest */
  find(request: CredentialRequest): Promise<FoundCredentials>;
  /** Those of the Secrets that the pod names, without a look anywhere else. */
  ofSecrets(request: CredentialRequest): readonly PullCredential[];
}

/** Whose credentials are wanted, and what for. */
interface CredentialRequest {
  readonly pod: Pod;
  readonly repository: string;
}

/** A login, and the Secret that has it. */
interface FoundLogin extends RegistryLogin {
  readonly secret?: ObjectRef;
}

/** Logins as they were found, and what is wrong with others; each problem is a sentence. */
export interface ReadLogins {
  readonly logins: readonly RegistryLogin[];
  readonly problems: readonly string[];
}

/** Logins that hold for every pod of the node. */
export interface NodeLogins {
  /** What there is now for a repository, and perhaps for others too. */
  read(repository: string): Promise<ReadLogins>;
}

/** More than any registry is tried with; each failure costs a call of the runtime. */
const MAX_CREDENTIALS = 20;

/** Each is an event of the pod: more would drive out those of all pods. */
const MAX_PROBLEMS = 10;

/**
 * Finds them in the Secrets that a pod names as `imagePullSecrets`, and then on the node.
 * Both are read anew for each pull. (Upstream: MakeDockerKeyring, UnionDockerKeyring.)
 */
export class ImageCredentials implements CredentialFinder {
  readonly #objects: PodObjects;
  readonly #node: readonly NodeLogins[];

  constructor(
    deps: {
      readonly objects: PodObjects;
      readonly node: readonly NodeLogins[];
    },
  ) {
    this.#objects = deps.objects;
    this.#node = deps.node;
  }

  async find(
    { pod, repository }: CredentialRequest,
  ): Promise<FoundCredentials> {
    const secrets = this.#readSecrets(pod);
    const read = await Promise.all(
      this.#node.map((each) => each.read(repository)),
    );
    const ofNode = read.flatMap(({ logins }) => logins);
    const tried = new Map<string, PullCredential>();
    for (const logins of [secrets.logins, ofNode]) {
      for (const credential of credentialsFor(logins, repository)) {
        const { fingerprint } = credential;
        if (!tried.has(fingerprint)) tried.set(fingerprint, credential);
      }
    }
    const problems = read.flatMap(({ problems }) => problems).map((message) =>
      ({ reason: "FailedToRetrieveImageCredentials", message }) as const
    );
    return {
      credentials: [...tried.values()].slice(0, MAX_CREDENTIALS),
      problems: firstOf([...secrets.problems, ...problems]),
    };
  }

  ofSecrets(
    { pod, repository }: CredentialRequest,
  ): readonly PullCredential[] {
    return credentialsFor(this.#readSecrets(pod).logins, repository);
  }

  #readSecrets(pod: Pod): {
    readonly logins: readonly FoundLogin[];
    readonly problems: readonly CredentialProblem[];
  } {
    const { metadata: { namespace }, spec } = pod;
    const objects = this.#objects.seenBy(pod);
    const names = (spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
    const missing: string[] = [];
    const logins: FoundLogin[] = [];
    const problems: CredentialProblem[] = [];
    const reason = "FailedToRetrieveImagePullSecret";
    // As upstream: an entry without a name is allowed and means nothing.
    for (const name of new Set(names.filter((each) => each !== ""))) {
      const secret = { namespace, name };
      const read = readSecret(objects, secret);
      if (read === undefined) missing.push(name);
      else {
        logins.push(...read.logins.map((login) => ({ ...login, secret })));
        problems.push(...read.problems.map((problem) => ({
          reason,
          message: `The image pull secret "${name}" cannot be used: ${problem}`,
        } as const)));
      }
    }
    if (missing.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${
        missing.join(", ")
      }); attempting to pull the image may not succeed.`;
      problems.unshift({ reason, message });
    }
    return { logins, problems };
  }
}

function firstOf(
  problems: readonly CredentialProblem[],
): readonly CredentialProblem[] {
  const [next, ...others] = problems.slice(MAX_PROBLEMS);
  if (next === undefined) return problems;
  const message = `${others.length + 1} more image credentials cannot be used`;
  return [...problems.slice(0, MAX_PROBLEMS), { ...next, message }];
}

function readSecret(
  objects: Pick<ObjectGetter, "secret">,
  ref: ObjectRef,
): DockerConfig | undefined {
  const secret = objects.secret(ref);
  if (secret === undefined) return undefined;
  const { type, entries } = secret;
  const form = SECRET_FORMS.get(type);
  if (form === undefined) {
    const wanted = [...SECRET_FORMS.keys()].join(" or ");
    const problem = `it is of type "${type}", wanted ${wanted}`;
    return { logins: [], problems: [problem] };
  }
  const bytes = entries.get(form.key) ?? new Uint8Array();
  return readDockerConfig(bytes, form.form);
}

const SECRET_FORMS: ReadonlyMap<
  string,
  { readonly key: string; readonly form: DockerConfigForm }
> = new Map([
  [
    "kubernetes.io/dockerconfigjson",
    { key: ".dockerconfigjson", form: "config.json" },
  ],
  ["kubernetes.io/dockercfg", { key: ".dockercfg", form: "dockercfg" }],
]);

function credentialsFor(
  logins: readonly FoundLogin[],
  repository: string,
): readonly PullCredential[] {
  return findLogins(logins, repository)
    .map(({ pattern: _pattern, ...login }) => {
      const { username, password, identityToken, registryToken } = login;
      const tokens = identityToken ?? registryToken
        ? [identityToken?.reveal() ?? "", registryToken?.reveal() ?? ""]
        : [];
      const text = JSON.stringify([username, password.reveal(), ...tokens]);
      const fingerprint = createHash("sha256").update(text).digest("hex");
      return { ...login, fingerprint };
    });
}
