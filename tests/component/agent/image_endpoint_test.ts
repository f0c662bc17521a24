/**
 * Images whose logins a service on the machine gives.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  privatePod,
  triedLogins,
  waitingReason,
  wantLogin,
} from "../../support/agent/private_images.ts";
import { serveHttp } from "../../support/peers/http_server.ts";

Deno.test("Agent pulls with the login that a service gives, which others have for free", async () => {
  const asked: string[] = [];
  let isUp = false;
  await using server = await serveHttp(async (request, response) => {
    const body = (await Array.fromAsync(request)).join("");
    asked.push(JSON.parse(body).image);
    if (!isUp) {
      response.writeHead(503);
      return void response.end("me:hunter2");
    }
    response.end(JSON.stringify({
      kind: "CredentialProviderResponse",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      cacheKeyType: "Registry",
      cacheDuration: "1h",
      auth: { "*.example": { username: "me", password: "hunter2" } },
    }));
  });
  const url = `http://127.0.0.1:${server.port}/provider`;
  await using rig = await CoreRig.start({
    flags: [`--image-credential-endpoint=${url}`],
    prepare: (rig) => wantLogin(rig, "me:hunter2"),
  });
  await rig.apply("web", privatePod("web"));
  await rig.until(
    () => waitingReason(rig, "web") === "ImagePullBackOff",
    "the back-off",
  );
  const message =
    `The image credentials of "${url}" cannot be used: it answers with status 503`;
  ok(rig.core.events.list().some((event) => event.message === message));
  isUp = true;
  await rig.until(() => rig.fake.running("web").length === 1, "web");
  await rig.apply("other", privatePod("other"));
  await rig.until(() => rig.fake.running("other").length === 1, "other");
  deepStrictEqual(triedLogins(rig), [undefined, "me:hunter2"]);
  deepStrictEqual([...new Set(asked)], ["r.example/team/app"]);
  const events = JSON.stringify(rig.core.events.list());
  ok(![events, ...rig.log].join().includes("hunter2"));
});
