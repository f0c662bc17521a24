/**
 * The service on the machine that gives logins of images.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createServer } from "node:http";
import { coreConfig } from "../../support/agent/core_config.ts";
import { nodeLogins } from "../../support/app/parts.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { drain, serveRaw, type Talk } from "../../support/peers/raw_server.ts";
import { pod } from "../../support/pods.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** What is found for an image with a service of this name. */
async function ask(name: string, stepMs = 0) {
  await using dir = await TempDir.make();
  const config = await coreConfig(dir.path, {
    flags: [`--image-credential-endpoint=${name}`],
  });
  const clock = new FakeClock();
  let isOver = false;
  const repository = "r.example/app";
  const asked = nodeLogins(config, clock).find({ pod: pod(), repository })
    .finally(() => isOver = true);
  await until(async () => {
    await clock.advance(stepMs);
    return isOver;
  });
  const { credentials, problems } = await asked;
  return {
    users: credentials.map(({ username }) => username),
    problems: problems.map(({ message }) => message),
  };
}

/** What is found when a service talks so; the problem without the name. */
async function askRaw(talk: Talk, stepMs = 0): Promise<string> {
  await using server = await serveRaw(talk);
  const name = `http://127.0.0.1:${server.port}/provider`;
  const { users, problems } = await ask(name, stepMs);
  deepStrictEqual(users, []);
  strictEqual(problems.length, 1);
  const head = `The image credentials of "${name}" cannot be used: `;
  strictEqual(problems[0]?.startsWith(head), true);
  return problems[0]?.slice(head.length) ?? "";
}

function saying(text: string): Talk {
  return async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(new TextEncoder().encode(text));
    await connection.closeWrite();
  };
}

Deno.test("imageCredentials() asks a service at a socket", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/logins.sock`;
  const server = createServer((_, response) => {
    response.end(JSON.stringify({
      kind: "CredentialProviderResponse",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      cacheKeyType: "Registry",
      auth: { "r.example": { username: "me", password: "hunter2" } },
    }));
  });
  await new Promise<void>((resolve) => server.listen(path, () => resolve()));
  deepStrictEqual(await ask(path), { users: ["me"], problems: [] });
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

Deno.test("imageCredentials() quotes nothing of what a service says, and names what it cannot reach", async () => {
  match(
    await askRaw(saying('hunter2 "and" more\r\n\r\n')),
    /^Cannot read the answer: malformed HTTP \w+( \w+)?$/,
  );
  await using dir = await TempDir.make();
  const { problems: [problem] } = await ask(`${dir.path}/absent`);
  match(problem ?? "", /cannot be used: dial unix .*\/absent: No such file/);
});

Deno.test("imageCredentials() takes no answer that breaks off", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{";
  match(await askRaw(saying(head)), /^its answer breaks off/);
});

Deno.test("imageCredentials() says that it waited in vain, and not that it hung up for that", async () => {
  const problem = await askRaw(async (connection) => {
    await connection.read(new Uint8Array(4_096));
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head));
    await drain(connection);
  }, 100);
  match(problem, /took longer than 60000 ms/);
});
