/**
 * Which credentials a pod pulls an image with.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { KeyedObject } from "../../../../mod/api/objects/mod.ts";
import { readDockerConfig } from "../../../../mod/runtime/credentials/docker_config.ts";
import { ImageCredentials } from "../../../../mod/runtime/credentials/image_credentials.ts";
import { objectGetter } from "../../../support/keyed_objects.ts";
import { pod } from "../../../support/pods.ts";

/** Logins by registry, in the docker configuration's form. */
type Logins = Readonly<Record<string, string>>;

function bytesOf(logins: Logins, isOld = false): Uint8Array {
  const auths = Object.fromEntries(
    Object.entries(logins).map(([key, login]) => [key, { auth: btoa(login) }]),
  );
  return new TextEncoder().encode(JSON.stringify(isOld ? auths : { auths }));
}

function secret(name: string, logins: Logins, isOld = false): KeyedObject {
  const [type, key] = isOld
    ? ["dockercfg", ".dockercfg"]
    : ["dockerconfigjson", ".dockerconfigjson"];
  return {
    kind: "Secret",
    namespace: "shop",
    name,
    type: `kubernetes.io/${type}`,
    immutable: false,
    entries: new Map([[key, bytesOf(logins, isOld)]]),
  };
}

async function find(
  repository: string,
  given: {
    readonly secrets?: readonly KeyedObject[];
    readonly names?: readonly string[];
    readonly node?: Logins;
    readonly problems?: readonly string[];
  },
) {
  const { secrets = [], node = {}, problems = [] } = given;
  const names = given.names ?? secrets.map(({ name }) => name);
  const finder = new ImageCredentials({
    objects: objectGetter(secrets),
    node: [{
      read: () =>
        Promise.resolve({
          logins: readDockerConfig(bytesOf(node), "config.json").logins,
          problems,
        }),
    }],
  });
  const imagePullSecrets = names.map((name) => ({ name }));
  const found = await finder.find({
    pod: pod({ imagePullSecrets }),
    repository,
  });
  return {
    tried: found.credentials.map(({ username, password }) =>
      `${username}:${password.reveal()}`
    ),
    problems: found.problems.map(({ reason, message }) =>
      `${reason}: ${message}`
    ),
    fingerprints: found.credentials.map(({ fingerprint }) => fingerprint),
  };
}

Deno.test("ImageCredentials.find() tells logins apart by their tokens, and keeps the fingerprint of one without", () => {
  const fingerprints = [
    { auth: btoa("me:p") },
    { auth: btoa("me:p"), registrytoken: "a" },
    { auth: btoa("me:p"), registrytoken: "b" },
    { identitytoken: "a" },
    { identitytoken: "a", registrytoken: "b" },
  ].map((entry) => {
    const text = JSON.stringify({ auths: { "r.example": entry } });
    const entries = new Map([
      [".dockerconfigjson", new TextEncoder().encode(text)],
    ]);
    const finder = new ImageCredentials({
      objects: objectGetter([{ ...secret("one", {}), entries }]),
      node: [],
    });
    const [found] = finder.ofSecrets({
      pod: pod({ imagePullSecrets: [{ name: "one" }] }),
      repository: "r.example/x",
    });
    return found?.fingerprint;
  });
  strictEqual(new Set(fingerprints).size, 5);
  // SHA-256 of ["me","p"]: records of earlier versions hold it.
  strictEqual(
    fingerprints[0],
    "4601f43d00524fd553eb608c3b34d21822558a1b9211b25ce1e456a9ed43bd5a",
  );
});

async function triedFor(...args: Parameters<typeof find>): Promise<string[]> {
  return (await find(...args)).tried;
}

Deno.test("ImageCredentials.find() tries the longest path first, and all that match", async () => {
  const node = {
    "r.example": "host:1",
    "r.example/team/app": "app:1",
    "*.example": "glob:1",
    "r.example/team": "team:1",
    "r.example/other": "other:1",
  };
  deepStrictEqual(await triedFor("r.example/team/app", { node }), [
    "app:1",
    "team:1",
    "host:1",
    "glob:1",
  ]);
});

Deno.test("ImageCredentials.find() tries Secrets before the node, in one order by path", async () => {
  const secrets = [
    secret("one", { "r.example": "one:1" }),
    secret("two", { "r.example": "two:1", "r.example/team": "two:2" }, true),
  ];
  const node = { "r.example/team/app": "node:1" };
  deepStrictEqual(
    await triedFor("r.example/team/app", { secrets, node }),
    ["two:2", "one:1", "two:1", "node:1"],
  );
});

Deno.test("ImageCredentials.find() tries nothing twice", async () => {
  const secrets = [secret("one", { "r.example": "me:1", "*.example": "me:1" })];
  const node = { "r.example": "me:1" };
  const { tried, fingerprints } = await find("r.example/x", { secrets, node });
  deepStrictEqual(tried, ["me:1"]);
  strictEqual(/^[0-9a-f]{64}$/.test(fingerprints[0] ?? ""), true);
});

Deno.test("ImageCredentials.find() tries twenty at most", async () => {
  const secrets = Array.from(
    { length: 30 },
    (_, i) => secret(`s${i}`, { "r.example": `me:${i}` }),
  );
  strictEqual((await triedFor("r.example/x", { secrets })).length, 20);
});

for (
  const [repository, tried] of [
    ["docker.io/library/busybox", ["hub:1"]],
    ["docker.io/team/app", ["hub:1"]],
    // It is no place of Docker Hub, though its name has no dot.
    ["localhost/app", []],
    ["r.example/app", []],
  ] as const
) {
  Deno.test(`ImageCredentials.find() for "${repository}" takes ${tried.length} of Docker Hub's older name`, async () => {
    const node = { "https://index.docker.io/v1/": "hub:1" };
    deepStrictEqual(await triedFor(repository, { node }), tried);
  });
}

Deno.test("ImageCredentials.find() prefers Docker Hub's newer name", async () => {
  const node = { "https://index.docker.io/v1/": "old:1", "docker.io": "new:1" };
  deepStrictEqual(await triedFor("docker.io/a/b", { node }), ["new:1"]);
});

Deno.test("ImageCredentials.find() names the Secrets that are not there, and takes the others", async () => {
  const found = await find("r.example/x", {
    secrets: [secret("one", { "r.example": "me:1" })],
    names: ["gone", "one", "", "lost", "gone"],
  });
  deepStrictEqual(found.tried, ["me:1"]);
  deepStrictEqual(found.problems, [
    "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (gone, lost); attempting to pull the image may not succeed.",
  ]);
});

Deno.test("ImageCredentials.find() takes no Secret of another namespace", async () => {
  const other = { ...secret("one", { "r.example": "me:1" }), namespace: "b" };
  deepStrictEqual(await triedFor("r.example/x", { secrets: [other] }), []);
});

Deno.test("ImageCredentials.find() says what is wrong with a Secret and with the node's files", async () => {
  const opaque = {
    ...secret("opaque", { "r.example": "me:1" }),
    type: "Opaque",
  };
  const empty = { ...secret("empty", {}), entries: new Map() };
  const found = await find("r.example/x", {
    secrets: [opaque, empty],
    problems: ["The file is gone"],
  });
  deepStrictEqual(found.tried, []);
  deepStrictEqual(found.problems, [
    'FailedToRetrieveImagePullSecret: The image pull secret "opaque" cannot be used: it is of type "Opaque", wanted kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg',
    'FailedToRetrieveImagePullSecret: The image pull secret "empty" cannot be used: it is not a JSON object',
    "FailedToRetrieveImageCredentials: The file is gone",
  ]);
});

Deno.test("ImageCredentials says of very many faults how many there are", async () => {
  const problems = Array.from({ length: 500 }, (_, n) => `${n}`);
  const found = await find("docker.io/a/b", { problems });
  deepStrictEqual(found.problems.slice(-2), [
    "FailedToRetrieveImageCredentials: 9",
    "FailedToRetrieveImageCredentials: 490 more image credentials cannot be used",
  ]);
  strictEqual(found.problems.length, 11);
});
