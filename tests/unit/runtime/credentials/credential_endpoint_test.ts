/**
 * A service that is asked for credentials.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  type AskProvider,
  CredentialEndpoint,
} from "../../../../mod/runtime/credentials/credential_endpoint.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

type Answer = Awaited<ReturnType<AskProvider>>;

/** A good answer, of which a test says what it differs in. */
function answer(
  rest: {
    readonly key?: string;
    readonly duration?: string;
    readonly registry?: string;
  } = {},
): Answer {
  const { key = "Image", duration = "1m", registry = "r.example" } = rest;
  const text = JSON.stringify({
    kind: "CredentialProviderResponse",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    cacheKeyType: key,
    cacheDuration: duration,
    auth: { [registry]: { username: "me", password: "hunter2" } },
  });
  const body = new TextEncoder().encode(text);
  return { status: 200, body, isWhole: true };
}

function rig(
  reply: (signal: AbortSignal) => Promise<Answer>,
  matchImages: readonly string[] = [],
) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const endpoint = new CredentialEndpoint({
    clock,
    ask: (body, { signal }) => {
      asked.push(JSON.parse(body).image);
      return reply(signal);
    },
  }, { name: "unix:/run/x.sock", matchImages });
  const read = async (repository: string) => {
    const { logins, problems } = await endpoint.read(repository);
    return { logins: logins.map(({ username }) => username), problems };
  };
  return { clock, asked, read };
}

for (
  const [key, again, others] of [
    ["Image", "r.example/a", ["r.example/b", "s.example/a"]],
    ["Registry", "r.example/b", ["s.example/a"]],
    ["Global", "s.example/b", []],
  ] as const
) {
  Deno.test(`CredentialEndpoint.read() keeps an answer for its ${key} until its time is over`, async () => {
    const { clock, asked, read } = rig(() => Promise.resolve(answer({ key })));
    deepStrictEqual(await read("r.example/a"), {
      logins: ["me"],
      problems: [],
    });
    await clock.advance(59_999);
    deepStrictEqual((await read(again)).logins, ["me"]);
    deepStrictEqual(asked, ["r.example/a"]);
    for (const other of others) await read(other);
    deepStrictEqual(asked.slice(1), others);
    await clock.advance(1);
    await read("r.example/a");
    strictEqual(asked.at(-1), "r.example/a");
    strictEqual(asked.length, others.length + 2);
  });
}

Deno.test("CredentialEndpoint.read() keeps nothing that says so, and a hundred answers at most", async () => {
  const none = rig(() => Promise.resolve(answer({ duration: "0s" })));
  await none.read("r.example/a");
  await none.read("r.example/a");
  strictEqual(none.asked.length, 2);
  const many = rig(() => Promise.resolve(answer()));
  for (let i = 0; i < 101; i++) await many.read(`r.example/${i}`);
  await many.read("r.example/1");
  strictEqual(many.asked.length, 101);
  await many.read("r.example/0");
  strictEqual(many.asked.length, 102);
});

Deno.test("CredentialEndpoint.read() asks once for several pulls of one repository", async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { asked, read } = rig(() => promise);
  const both = Promise.all([read("r.example/a"), read("r.example/a")]);
  resolve(answer({ duration: "0s" }));
  deepStrictEqual((await both).map(({ logins }) => logins), [["me"], ["me"]]);
  strictEqual(asked.length, 1);
});

Deno.test("CredentialEndpoint.read() asks about the images that it is for", async () => {
  const { asked, read } = rig(() => Promise.resolve(answer()), [
    "*.example/team",
    "s.example:5000",
  ]);
  for (
    const repository of [
      "r.example/team/app",
      "r.example/other",
      "s.example:5000/x",
      "docker.io/library/busybox",
    ]
  ) await read(repository);
  deepStrictEqual(asked, ["r.example/team/app", "s.example:5000/x"]);
});

for (
  const [what, reply, problem] of [
    [
      "is away",
      () => Promise.reject(new Error("dial unix: no such file")),
      "dial unix: no such file",
    ],
    [
      "refuses",
      () => Promise.resolve({ ...answer(), status: 503 }),
      "it answers with status 503",
    ],
    [
      "breaks off",
      () => Promise.resolve({ ...answer(), isWhole: false }),
      "its answer breaks off, or has more than 1048576 bytes",
    ],
    [
      "talks nonsense",
      () => Promise.resolve({ ...answer(), body: new Uint8Array([1]) }),
      "it is not a JSON object",
    ],
  ] as const
) {
  Deno.test(`CredentialEndpoint.read() says that a service ${what}, and asks it anew`, async () => {
    const { asked, read } = rig(reply);
    deepStrictEqual(await read("r.example/a"), {
      logins: [],
      problems: [
        `The image credentials of "unix:/run/x.sock" cannot be used: ${problem}`,
      ],
    });
    await read("r.example/a");
    strictEqual(asked.length, 2);
  });
}

Deno.test("CredentialEndpoint.read() waits a minute for an answer and no longer", async () => {
  const { clock, read } = rig((signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason));
    return promise;
  });
  const reading = read("r.example/a");
  await clock.advance(60_000);
  const { problems: [problem = ""] } = await reading;
  ok(problem.endsWith("The work took longer than 60000 ms"), problem);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("CredentialEndpoint.read() keeps four mebibytes of answers at most, the last ones", async () => {
  const text = new TextDecoder().decode(answer().body);
  // Nothing but blanks behind it: what counts is how long it is.
  const body = new TextEncoder().encode(text.padEnd(1 << 20));
  const { asked, read } = rig(() =>
    Promise.resolve({ status: 200, body, isWhole: true })
  );
  const names = [0, 1, 2, 3, 4].map((n) => `r.example/${n}`);
  for (const name of names) await read(name);
  for (const name of names.slice(1)) await read(name);
  deepStrictEqual(asked, names);
  await read("r.example/0");
  deepStrictEqual(asked.at(-1), "r.example/0");
});
