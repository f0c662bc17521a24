/**
 * Pulling with one credential after the other.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { Hidden } from "../../../../mod/base/text/mod.ts";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import { tryCredentials } from "../../../../mod/runtime/images/try_credentials.ts";

function failure(detail: string, kind: CriError["kind"] = "failed"): CriError {
  return new CriError({ kind, method: "PullImage", detail });
}

/** Pulls with these passwords; what is answered to each, `undefined` for an image. */
async function tried(
  passwords: readonly string[],
  answers: readonly (unknown | undefined)[],
) {
  const asked: (string | undefined)[] = [];
  const credentials = passwords.map((password) => ({
    username: "me",
    password: new Hidden(password),
    fingerprint: password,
  }));
  const end = await tryCredentials(credentials, (auth) => {
    asked.push(auth && `${auth.username}:${auth.password}`);
    const answer = answers[asked.length - 1];
    return answer === undefined
      ? Promise.resolve("ref")
      : Promise.reject(answer);
  }).then(
    ({ ref, credential }) => ({ ref, by: credential?.fingerprint }),
    (error: unknown) => error,
  );
  return { asked, end };
}

Deno.test("tryCredentials() asks as anyone only without credentials", async () => {
  deepStrictEqual(await tried([], []), {
    asked: [undefined],
    end: { ref: "ref", by: undefined },
  });
  const { asked } = await tried(["one"], [failure("no")]);
  deepStrictEqual(asked, ["me:one"]);
});

Deno.test("tryCredentials() asks until one is good", async () => {
  const answers = [failure("no"), failure("gone", "not_found"), undefined];
  deepStrictEqual(await tried(["a", "b", "c", "d"], answers), {
    asked: ["me:a", "me:b", "me:c"],
    end: { ref: "ref", by: "c" },
  });
});

Deno.test("tryCredentials() says what was said of each", async () => {
  const { end } = await tried(["a", "b"], [failure("no"), failure("expired")]);
  ok(end instanceof AggregateError);
  deepStrictEqual(end.errors.map(({ detail }) => detail), ["no", "expired"]);
});

for (const kind of ["unavailable", "cancelled", "denied"] as const) {
  Deno.test(`tryCredentials() does not go on after "${kind}"`, async () => {
    const { asked, end } = await tried(["a", "b"], [failure("x", kind)]);
    deepStrictEqual(asked, ["me:a"]);
    strictEqual(end instanceof CriError && end.kind, kind);
  });
}

Deno.test("tryCredentials() does not go on after the caller has left", async () => {
  const reason = new Error("left");
  const { asked, end } = await tried(["a", "b"], [reason]);
  deepStrictEqual([asked, end], [["me:a"], reason]);
});

Deno.test("tryCredentials() takes a password out of what a registry says, however it is spelt", async () => {
  const word = "p@ss/word";
  const words = `${word} ${encodeURIComponent(word)} ${btoa(`me:${word}`)}`;
  const said = new CriError({
    kind: "failed",
    method: "PullImage",
    detail: words,
    brief: word,
  }, { cause: new Error(words) });
  const { end } = await tried([word], [said]);
  ok(end instanceof CriError);
  deepStrictEqual(
    [end.detail, end.brief, end.message, end.cause, end.kind],
    [
      "(not shown) (not shown) (not shown)",
      "(not shown)",
      "Cannot PullImage: (not shown) (not shown) (not shown)",
      undefined,
      "failed",
    ],
  );
});

Deno.test("tryCredentials() gives tokens as the CRI has them, and takes them out of what is said", async () => {
  const login = {
    username: "",
    password: new Hidden(""),
    identityToken: new Hidden("identity/1"),
    registryToken: new Hidden("registry/2"),
    fingerprint: "f",
  };
  const asked: unknown[] = [];
  const words = `identity/1 ${btoa(":registry/2")} registry%2F2`;
  const said = await tryCredentials([login], (auth) => {
    asked.push(auth);
    return Promise.reject(failure(words));
  }).catch((error: unknown) => error);
  deepStrictEqual(asked, [{
    username: "",
    password: "",
    identityToken: "identity/1",
    registryToken: "registry/2",
  }]);
  strictEqual(
    said instanceof CriError && said.detail,
    "(not shown) (not shown) (not shown)",
  );
});

Deno.test("tryCredentials() takes out the passwords of all tries, as Go writes them, too", async () => {
  const first = 'a b!*"c';
  const said = failure(`${first} a+b%21%2A%22c a b!*\\"c second`);
  const { end } = await tried([first, "second"], [failure("no"), said]);
  ok(end instanceof AggregateError);
  strictEqual(
    end.errors[1].detail,
    "(not shown) (not shown) (not shown) (not shown)",
  );
});

Deno.test("tryCredentials() goes on after a password that is no text", async () => {
  const { end } = await tried(["\ud800abcd", "good"], [failure("no")]);
  deepStrictEqual(end, { ref: "ref", by: "good" });
});

Deno.test("tryCredentials() leaves words alone that a very short password is part of", async () => {
  const { end } = await tried(["no"], [failure("not known")]);
  strictEqual(end instanceof CriError && end.detail, "not known");
});

Deno.test("tryCredentials() rejects with the one failure that there is", async () => {
  const only = failure("no");
  await rejects(tryCredentials([], () => Promise.reject(only)), only);
  strictEqual((await tried(["long"], [only])).end, only);
});
