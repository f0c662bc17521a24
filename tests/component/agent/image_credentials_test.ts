/**
 * Images of a registry that wants a login.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PullImageRequest } from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  dockerConfig,
  PRIVATE_IMAGE,
  privatePod,
  pullSecret,
  triedLogins,
  waitingReason,
  wantLogin,
} from "../../support/agent/private_images.ts";
import { makeFifo } from "../../support/fifo.ts";
import {
  readRequest,
  sayLast,
  serveRaw,
} from "../../support/peers/raw_server.ts";
import { TempDir } from "../../support/temp_dir.ts";

async function untilRuns(rig: CoreRig, name: string): Promise<void> {
  await rig.until(() => rig.fake.running(name).length === 1, name);
}

/** Everything that a client or a reader of the log can see. */
function shown(rig: CoreRig): string {
  const events = rig.core.events.list();
  return [JSON.stringify(rig.pods()), JSON.stringify(events), ...rig.log]
    .join("\n");
}

Deno.test("Agent pulls with the login of a Secret that the pod names", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "me:hunter2"),
  });
  await rig.apply("login", pullSecret("login", { "r.example": "me:hunter2" }));
  await rig.apply("web", privatePod("web", ["login"]));
  await untilRuns(rig, "web");
  deepStrictEqual(triedLogins(rig), ["me:hunter2"]);
  ok(!shown(rig).includes("hunter2"));
});

Deno.test("Agent tries every login, the Secrets' before the node's", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      wantLogin(rig, "node:right");
      const text = dockerConfig({ "*.example": "node:right" });
      await Deno.mkdir(`${rig.directory}/root`, { recursive: true });
      await Deno.writeTextFile(`${rig.directory}/root/config.json`, text);
    },
  });
  await rig.apply(
    "login",
    pullSecret("login", { "r.example": "a:1", "r.example/team": "b:2" }),
  );
  await rig.apply("web", privatePod("web", ["login"]));
  await untilRuns(rig, "web");
  deepStrictEqual(triedLogins(rig), ["b:2", "a:1", "node:right"]);
});

Deno.test("Agent reads the file of --image-credentials at each pull", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/config.json`;
  await using rig = await CoreRig.start({
    flags: [`--image-credentials=${path}`],
    prepare: (rig) => wantLogin(rig, "node:right"),
  });
  await rig.apply("web", privatePod("web"));
  await rig.until(
    () => waitingReason(rig, "web") === "ImagePullBackOff",
    "the back-off",
  );
  deepStrictEqual(triedLogins(rig), [undefined]);
  const message =
    `The image credentials in "${path}" cannot be used: there is no such file`;
  ok(rig.core.events.list().some((event) => event.message === message));
  await Deno.writeTextFile(path, dockerConfig({ "r.example": "node:right" }));
  await untilRuns(rig, "web");
  deepStrictEqual(triedLogins(rig), [undefined, "node:right"]);
});

Deno.test("Agent says of each wrong login what the registry said, once where it is the same, and never the login", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "me:right"),
  });
  await rig.apply(
    "login",
    pullSecret("login", { "r.example": "me:hunter2", "*.example": "me:wrong" }),
  );
  await rig.apply("web", privatePod("web", ["login"]));
  await rig.until(
    () => waitingReason(rig, "web") === "ErrImagePull",
    "the failure",
  );
  deepStrictEqual(triedLogins(rig), ["me:hunter2", "me:wrong"]);
  const message = rig.status("web")?.containerStatuses?.[0]?.state?.waiting
    ?.message ?? "";
  match(message, /^failed to pull and unpack.*401 Unauthorized$/);
  strictEqual(message.split("401").length, 2);
  ok(!shown(rig).includes("hunter2"));
});

Deno.test("Agent shows no password that a registry repeats", async () => {
  await using rig = await CoreRig.start();
  rig.fake.setRegistry(PRIVATE_IMAGE, {
    kind: "error",
    code: 2,
    details: `go away, me:hunter2 (${btoa("me:hunter2")})`,
  });
  await rig.apply("login", pullSecret("login", { "r.example": "me:hunter2" }));
  await rig.apply("web", privatePod("web", ["login"]));
  await rig.until(
    () => waitingReason(rig, "web") === "ErrImagePull",
    "the failure",
  );
  ok(!shown(rig).includes("hunter2") && !shown(rig).includes(btoa("hunter2")));
  ok(shown(rig).includes("go away, me:(not shown)"));
});

Deno.test("Agent pulls anew for a pod with another login, and once for those with the same", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "a:1", "b:2"),
  });
  rig.fake.settings.pullMs = 5_000;
  await rig.apply("a", pullSecret("a", { "r.example": "a:1" }));
  await rig.apply("b", pullSecret("b", { "r.example": "b:2" }));
  for (const [name, secret] of [["one", "a"], ["two", "a"], ["three", "b"]]) {
    await rig.apply(`pod-${name}`, privatePod(name ?? "", [secret ?? ""]));
  }
  for (const name of ["one", "two", "three"]) await untilRuns(rig, name);
  deepStrictEqual(triedLogins(rig).sort(), ["a:1", "b:2"]);
});

Deno.test("Agent waits for no file of logins that nobody writes", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/config.json`;
  await makeFifo(path);
  await using rig = await CoreRig.start({
    flags: [`--image-credentials=${path}`],
    prepare: (rig) =>
      rig.fake.setRegistry(PRIVATE_IMAGE, {
        kind: "image",
        image: { ref: PRIVATE_IMAGE },
      }),
  });
  await rig.apply("web", privatePod("web"));
  await untilRuns(rig, "web");
});

Deno.test("Agent gives tokens of a Secret to the runtime as the CRI has them, and shows them nowhere", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, ":"),
  });
  const entry = {
    auth: btoa("<token>:"),
    identitytoken: "hunter2",
    registrytoken: "hunter3",
  };
  const auths = JSON.stringify({ auths: { "r.example": entry } });
  const stringData = { ".dockerconfigjson": auths };
  await rig.apply("login", { ...pullSecret("login", {}), stringData });
  await rig.apply("web", privatePod("web", ["login"]));
  await untilRuns(rig, "web");
  const [pull] = rig.fake.callsOf("PullImage");
  // The fake decodes each request by its method.
  const { auth } = pull?.request as PullImageRequest;
  deepStrictEqual(auth, {
    username: "",
    password: "",
    auth: "",
    serverAddress: "",
    identityToken: "hunter2",
    registryToken: "hunter3",
  });
  ok(!/hunter/.test(shown(rig)));
});

Deno.test("Agent tries a login at once that an edited Secret brings, whatever the back-off", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "me:right"),
  });
  const secret = (login: string, labels = {}) => ({
    ...pullSecret("login", { "r.example": login }),
    metadata: { name: "login", labels },
  });
  await rig.apply("login", secret("me:wrong"));
  await rig.apply("web", privatePod("web", ["login"]));
  // It waits for minutes by now.
  await rig.pass(400_000, 5_000);
  const tries = triedLogins(rig).length;
  strictEqual(waitingReason(rig, "web"), "ImagePullBackOff");
  // The same login is no news.
  await rig.apply("login", secret("me:wrong", { edited: "yes" }));
  await rig.pass(2_000);
  strictEqual(triedLogins(rig).length, tries);
  await rig.apply("login", secret("me:other"));
  await rig.until(() => triedLogins(rig).length === tries + 1, "a try", {
    limitMs: 5_000,
  });
  await rig.pass(5_000);
  strictEqual(waitingReason(rig, "web"), "ImagePullBackOff");
  await rig.apply("login", secret("me:right"));
  await rig.until(() => rig.fake.running("web").length === 1, "the pod", {
    limitMs: 5_000,
  });
  deepStrictEqual(triedLogins(rig).slice(-2), ["me:other", "me:right"]);
});

Deno.test("Agent tries a login at once that comes while a pull without it goes on", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => wantLogin(rig, "me:right"),
  });
  rig.fake.settings.pullMs = 20_000;
  await rig.apply("web", privatePod("web", ["login"]));
  await rig.until(() => triedLogins(rig).length === 1, "the pull");
  await rig.apply("login", pullSecret("login", { "r.example": "me:right" }));
  await rig.until(() => triedLogins(rig).length === 2, "the next try", {
    limitMs: 25_000,
  });
  deepStrictEqual(triedLogins(rig), [undefined, "me:right"]);
});

for (
  const garbage of [
    '{"auth":{"r.example":{"username":"me","password":"hunter2"}}}\n',
    'HTTP/1.1 200 OK\r\nhunter2 "x"\r\n\r\n',
    "HTTP/1.1 hunter2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: hunter2\r\n\r\n",
  ]
) {
  Deno.test(`Agent shows nothing of a service of logins that answers ${JSON.stringify(garbage)}`, async () => {
    await using service = await serveRaw(async (connection) => {
      await readRequest(connection);
      await sayLast(connection, garbage);
    });
    await using rig = await CoreRig.start({
      flags: [`--image-credential-endpoint=http://127.0.0.1:${service.port}/`],
      prepare: (rig) => wantLogin(rig, "me:right"),
    });
    await rig.apply("web", privatePod("web"));
    await rig.until(
      () => waitingReason(rig, "web") === "ErrImagePull",
      "the failure",
    );
    match(shown(rig), /image credentials of .* cannot be used: Cannot read/);
    ok(!shown(rig).includes("hunter2"));
  });
}
