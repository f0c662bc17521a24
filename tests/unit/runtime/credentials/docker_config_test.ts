/**
 * Docker's configuration, good and hostile.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import {
  type DockerConfigForm,
  readDockerConfig,
} from "../../../../mod/runtime/credentials/docker_config.ts";

function read(text: string, form: DockerConfigForm = "config.json") {
  const { logins, problems } = readDockerConfig(
    new TextEncoder().encode(text),
    form,
  );
  const shown = logins.map(({ pattern, username, password }) =>
    `${pattern.key} ${username}:${password.reveal()}`
  );
  return { logins: shown, problems };
}

function ofEntry(entry: unknown, location = "r.example") {
  return read(JSON.stringify({ auths: { [location]: entry } }));
}

const GOOD: readonly (readonly [string, unknown, string])[] = [
  ["a user and a password", { username: "me", password: "p" }, "me:p"],
  ["a user alone", { username: "me" }, "me:"],
  ["base64 with padding", { auth: btoa("me:pw") + "" }, "me:pw"],
  [
    "base64 without padding",
    { auth: btoa("me:pass").replaceAll("=", "") },
    "me:pass",
  ],
  ["base64 that lacks one sign of padding", { auth: "bWU6cHc" }, "me:pw"],
  ["base64 that needs no padding", { auth: "bWU6cHdk" }, "me:pwd"],
  ["base64 of a password alone", { auth: btoa(":p") }, ":p"],
  ["base64 of a password with colons", { auth: btoa("me:a:b") }, "me:a:b"],
  ["base64 with line breaks", { auth: `${btoa("me:p")}\n` }, "me:p"],
  ["base64 that counts before the rest", {
    auth: btoa("me:p"),
    username: "x",
    password: "y",
  }, "me:p"],
  ["an address of mail beside it", { auth: btoa("me:p"), email: 7 }, "me:p"],
];

for (const [what, entry, login] of GOOD) {
  Deno.test(`readDockerConfig() takes ${what}`, () => {
    deepStrictEqual(ofEntry(entry), {
      logins: [`r.example ${login}`],
      problems: [],
    });
  });
}

const BAD: readonly (readonly [string, unknown, string])[] = [
  ["a text", "x", "is not an object"],
  ["null", null, "is not an object"],
  ["nothing in it", {}, "has no user and no password"],
  ["an auth that is a number", { auth: 5 }, 'has an "auth" that is not a text'],
  [
    "an auth without a colon",
    { auth: btoa("hunter2") },
    'has an "auth" that is not the base64 of user:password',
  ],
  [
    "an auth that is no base64",
    { auth: "hunter2!" },
    'has an "auth" that is not the base64 of user:password',
  ],
  [
    "a password that is a list",
    { password: ["hunter2"] },
    "has a user or a password that is not a text",
  ],
  [
    "an identity token that is a list",
    { identitytoken: ["hunter2"] },
    "has a token that is not a text",
  ],
  [
    "a registry token that is a number",
    { auth: btoa("me:p"), registrytoken: 7 },
    "has a token that is not a text",
  ],
];

for (const [what, entry, problem] of BAD) {
  Deno.test(`readDockerConfig() leaves out a login with ${what}, and shows nothing of it`, () => {
    const text = JSON.stringify({
      auths: { "r.example": entry, "s.example": { auth: btoa("me:p") } },
    });
    deepStrictEqual(read(text), {
      logins: ["s.example me:p"],
      problems: [`its login for "r.example" ${problem}`],
    });
  });
}

for (
  const [text, problem] of [
    ["", "it is not a JSON object"],
    ["hunter2", "it is not a JSON object"],
    ["[]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
    ['{"auths":[]}', 'its "auths" is not an object'],
    ['{"auths":"x"}', 'its "auths" is not an object'],
  ]
) {
  Deno.test(`readDockerConfig() refuses ${JSON.stringify(text)}`, () => {
    deepStrictEqual(read(text ?? ""), { logins: [], problems: [problem] });
  });
}

for (
  const [what, entry, wanted] of [
    ["an identity token, beside which no user counts", {
      auth: btoa("<token>:"),
      identitytoken: "id",
    }, [":", "id", undefined]],
    ["an identity token whatever its auth is", {
      auth: "hunter2!",
      identitytoken: "id",
    }, [":", "id", undefined]],
    ["a registry token alone", { registrytoken: "rt" }, [":", undefined, "rt"]],
    ["a registry token beside a user", {
      auth: btoa("me:p"),
      registrytoken: "rt",
    }, ["me:p", undefined, "rt"]],
    ["both tokens", { identitytoken: "id", registrytoken: "rt" }, [
      ...[":", "id", "rt"],
    ]],
    ["empty tokens", {
      username: "me",
      identitytoken: "",
      registrytoken: "",
    }, ["me:", undefined, undefined]],
  ] as const
) {
  Deno.test(`readDockerConfig() takes ${what}`, () => {
    const text = JSON.stringify({ auths: { "r.example": entry } });
    const bytes = new TextEncoder().encode(text);
    const { logins, problems } = readDockerConfig(bytes, "config.json");
    deepStrictEqual(problems, []);
    deepStrictEqual(
      logins.map(({ username, password, identityToken, registryToken }) => [
        `${username}:${password.reveal()}`,
        identityToken?.reveal(),
        registryToken?.reveal(),
      ]),
      [wanted],
    );
  });
}

Deno.test("readDockerConfig() refuses what is no UTF-8", () => {
  const text = new TextEncoder().encode('{"auths":{"?":{"auth":"bWU6cHc="}}}');
  // In a name, where JSON takes every character.
  const inName = text.with(text.indexOf("?".charCodeAt(0)), 0xff);
  for (const bytes of [new Uint8Array([0x7b, 0xff, 0x7d]), inName]) {
    deepStrictEqual(readDockerConfig(bytes, "config.json"), {
      logins: [],
      problems: ["it is not a JSON object"],
    });
  }
});

Deno.test("readDockerConfig() takes logins from the top of a dockercfg, and from auths alone of a config.json", () => {
  const entry = { auth: btoa("me:p") };
  const old = JSON.stringify({ "r.example": entry });
  deepStrictEqual(read(old, "dockercfg").logins, ["r.example me:p"]);
  deepStrictEqual(read(old), { logins: [], problems: [] });
});

Deno.test("readDockerConfig() says that it starts no helpers", () => {
  const text = JSON.stringify({ credsStore: "pass", credHelpers: { x: "y" } });
  deepStrictEqual(read(text), {
    logins: [],
    problems: [
      'its "credsStore" is not used: no helper programs are run',
      'its "credHelpers" is not used: no helper programs are run',
    ],
  });
});

Deno.test("readDockerConfig() keeps control characters, long names and logins out of what it says", () => {
  const { problems } = ofEntry({}, "me:hunter2@r.example\n\u001b[2J");
  deepStrictEqual(problems, [
    'its login for "r.example\\n\\u001b[2J" has no user and no password',
  ]);
  const [long = ""] = ofEntry({}, `${"x".repeat(2000)}`).problems;
  ok(long.length < 200 && long.includes("names no registry"));
});

Deno.test("readDockerConfig() shows a hundred characters of a registry's name", () => {
  const name = `r.example/${"x".repeat(90)}`;
  for (const [location, shown] of [[name, name], [`${name}y`, `${name}…`]]) {
    deepStrictEqual(ofEntry({}, location).problems, [
      `its login for "${shown}" has no user and no password`,
    ]);
  }
});

Deno.test("readDockerConfig() takes a thousand logins and no more", () => {
  const entry = { auth: btoa("me:p") };
  const many = Object.fromEntries(
    Array.from({ length: 1001 }, (_, i) => [`r${i}.example`, entry]),
  );
  const { logins, problems } = read(JSON.stringify({ auths: many }));
  deepStrictEqual([logins.length, problems], [1000, [
    "it has 1001 logins, of which only the first 1000 count",
  ]]);
});
