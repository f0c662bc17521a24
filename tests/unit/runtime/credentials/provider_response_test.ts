/**
 * Answers of credential providers, good and hostile.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  providerRequest,
  readProviderResponse,
} from "../../../../mod/runtime/credentials/provider_response.ts";

const API = "credentialprovider.kubelet.k8s.io/v1";
const GOOD = {
  kind: "CredentialProviderResponse",
  apiVersion: API,
  cacheKeyType: "Registry",
  cacheDuration: "5m0s",
  auth: { "*.example": { username: "me", password: "hunter2" } },
};

function read(answer: unknown) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return readProviderResponse(new TextEncoder().encode(text));
}

Deno.test("providerRequest() asks as the kubelet does", () => {
  deepStrictEqual(JSON.parse(providerRequest("r.example/x")), {
    apiVersion: API,
    kind: "CredentialProviderRequest",
    image: "r.example/x",
  });
});

function manyLogins(count: number) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `r${n}.example`,
      { username: "me", password: "hunter2" },
    ]),
  );
}

Deno.test("readProviderResponse() reads logins, and how long they hold for what", () => {
  const answer = read(GOOD);
  ok(answer.kind === "read");
  deepStrictEqual([answer.cacheKey, answer.cacheMs], ["Registry", 300_000]);
  const [login] = answer.logins;
  strictEqual(login?.pattern.key, "*.example");
  strictEqual(`${login.username}:${login.password.reveal()}`, "me:hunter2");
});

for (const nothing of [undefined, null, "0s"]) {
  Deno.test(`readProviderResponse() keeps nothing with cacheDuration ${nothing}`, () => {
    const answer = read({ ...GOOD, cacheDuration: nothing });
    strictEqual(answer.kind === "read" && answer.cacheMs, 0);
  });
}

for (const nothing of [undefined, null, {}]) {
  Deno.test(`readProviderResponse() takes auth ${JSON.stringify(nothing)} for no login`, () => {
    const answer = read({ ...GOOD, auth: nothing });
    deepStrictEqual(answer.kind === "read" && answer.logins, []);
  });
}

for (
  const [what, answer, problem] of [
    ["no JSON", "hunter2", "it is not a JSON object"],
    ["a list", "[]", "it is not a JSON object"],
    ["another kind", { ...GOOD, kind: "Secret" }, "wanted a Credential"],
    ["another version", { ...GOOD, apiVersion: "v1" }, "wanted a Credential"],
    ["no key", { ...GOOD, cacheKeyType: "" }, "wanted a cacheKeyType of"],
    ["a negative time", { ...GOOD, cacheDuration: "-1s" }, "wanted a cacheD"],
    ["a number as time", { ...GOOD, cacheDuration: 5 }, "wanted a cacheDur"],
    ["no time", { ...GOOD, cacheDuration: "hunter2" }, "wanted a cacheDur"],
    ["a list of logins", { ...GOOD, auth: ["hunter2"] }, 'object as "auth"'],
    [
      "a bad registry",
      { ...GOOD, auth: { "": GOOD.auth["*.example"] } },
      "reg",
    ],
    ["a login that is a text", { ...GOOD, auth: { x: "hunter2" } }, "username"],
    [
      "more logins than anyone has",
      { ...GOOD, auth: manyLogins(1_001) },
      "wanted at most 1000 logins, found 1001",
    ],
    ["no password", { ...GOOD, auth: { x: { username: "me" } } }, "password"],
    ["a password that is a number", {
      ...GOOD,
      auth: { x: { username: "hunter2", password: 5 } },
    }, "password"],
  ] as const
) {
  Deno.test(`readProviderResponse() refuses ${what}, and shows nothing of it`, () => {
    const found = read(answer);
    ok(found.kind === "refused" && found.problem.includes(problem));
    ok(!found.problem.includes("hunter2"));
  });
}
