/**
 * The logins of the node, as pulls get them.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { coreConfig } from "../../support/agent/core_config.ts";
import { nodeLogins } from "../../support/app/parts.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { HungStat } from "../../support/hung_stat.ts";
import { pod } from "../../support/pods.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("imageCredentials() gives up on a file that does not answer, and keeps few threads for it", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/logins.json`;
  const auths = { "registry.example": { username: "edge", password: "x" } };
  await Deno.writeTextFile(path, JSON.stringify({ auths }));
  const flags = [`--image-credentials=${path}`];
  const config = await coreConfig(dir.path, { flags });
  const clock = new FakeClock();
  const logins = nodeLogins(config, clock);
  const find = async () => {
    let isOver = false;
    const repository = "registry.example/app";
    const found = logins.find({ pod: pod(), repository }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await clock.advance(20);
      await Deno.lstat(dir.path);
    }
    const { credentials, problems } = await found;
    return {
      users: credentials.map(({ username }) => username),
      problems: problems.map(({ message }) => message),
    };
  };
  const well = { users: ["edge"], problems: [] };
  deepStrictEqual(await find(), well);
  using hung = new HungStat(path);
  const hanging = {
    users: [],
    problems: [
      `The image credentials in "${path}" cannot be used: Cannot use "${path}": the system failed (The file system does not answer within 3000 ms)`,
    ],
  };
  for (let pull = 0; pull < 40; pull++) deepStrictEqual(await find(), hanging);
  // Once, and again at most eight times.
  ok(hung.asked <= 9);
  await hung.answer(path);
  while ((await find()).users.length === 0) await clock.advance(1000);
});

Deno.test("imageCredentials() keeps one thread for a file that does not answer to many pulls at once", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/logins.json`;
  await Deno.writeTextFile(path, "{}");
  const config = await coreConfig(dir.path, {
    flags: [`--image-credentials=${path}`],
  });
  const clock = new FakeClock();
  const logins = nodeLogins(config, clock);
  using hung = new HungStat(path);
  let over = 0;
  // As at a boot: none of them knows yet that it hangs.
  const finding = Array.from({ length: 40 }, async () => {
    const repository = "registry.example/app";
    const { problems } = await logins.find({ pod: pod(), repository });
    over++;
    return problems.length;
  });
  while (over < 40) {
    await clock.advance(1000);
    await Deno.lstat(dir.path);
  }
  deepStrictEqual(await Promise.all(finding), Array(40).fill(1));
  strictEqual(hung.asked, 1);
  await hung.answer(path);
  const again = { pod: pod(), repository: "registry.example/app" };
  // What was asked of it is over then, too.
  while ((await logins.find(again)).problems.length > 0) {
    await clock.advance(1000);
  }
});
