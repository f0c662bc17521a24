/**
 * An agent whose URL does not answer: what it brought goes on, and nothing else waits.
 *
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { coreConfig } from "../../support/agent/core_config.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, untilGone, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { PodServer } from "../../support/agent/pod_server.ts";

function pod(name: string): Record<string, unknown> {
  return web({ name, spec: { containers: [busybox(`in-${name}`)] } });
}

/** An agent with a pod of each source, whose URL then is cut. */
async function cutOff(server: PodServer): Promise<CoreRig> {
  const rig = await CoreRig.start({ flags: server.flags });
  await rig.apply("local", pod("local"));
  await untilRunning(rig, "local", "remote");
  server.isCut = true;
  return rig;
}

Deno.test("Agent kills nothing of a URL that is away, through restarts (SRC-24)", async () => {
  await using server = new PodServer(pod("remote"));
  await using rig = await cutOff(server);
  const from = rig.fake.calls.length;
  for (let round = 0; round < 2; round++) {
    await rig.restartAgent();
    await untilRunning(rig, "local", "remote");
    await rig.pass(120_000);
  }
  deepStrictEqual(rig.mutations(from), []);

  // File pods come and go meanwhile.
  await rig.apply("second", pod("second"));
  await untilRunning(rig, "second");
  await rig.remove("local");
  await rig.until(
    () => rig.fake.running("in-local").length === 0,
    "the file pod to end",
  );
  strictEqual(rig.only("in-remote").state, "running");

  server.pods = [];
  server.isCut = false;
  await rig.until(
    () => rig.fake.running("in-remote").length === 0,
    "the pod of the URL to end",
  );
  strictEqual(rig.only("in-second").state, "running");
});

Deno.test("Agent runs the pods of a URL after a reboot without network (SRC-24)", async () => {
  await using server = new PodServer(pod("remote"));
  await using rig = await cutOff(server);
  await rig.stopAgent();
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  await rig.startAgent();
  await untilRunning(rig, "local", "remote");
  const { id } = rig.only("in-remote");

  // The answer that brought it changes nothing.
  const from = rig.fake.calls.length;
  server.isCut = false;
  await rig.pass(60_000);
  strictEqual(rig.only("in-remote").id, id);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent restores no pod that its URL had taken back", async () => {
  await using server = new PodServer(pod("remote"));
  await using rig = await CoreRig.start({ flags: server.flags });
  await untilRunning(rig, "remote");
  server.pods = [];
  await rig.until(() => rig.pod("remote") === undefined, "it to be gone");
  server.isCut = true;
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.pass(60_000);
  strictEqual(rig.pod("remote"), undefined);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent ends and exchanges file pods that were edited while it was down, although a URL is silent (PW-02, SRC-24)", async () => {
  await using server = new PodServer(pod("remote"));
  await using rig = await cutOff(server);
  await rig.apply("second", pod("second"));
  await untilRunning(rig, "second");
  const remote = rig.only("in-remote").id;
  const local = rig.only("in-local").id;
  await rig.stopAgent();
  // Nothing tells now what the URL had: what came from it is to be left alone.
  await forgetUrl(rig);
  await rig.remove("second");
  await rig.remove("local");
  await rig.apply("local", { ...pod("local"), ...version("two") });
  // Old enough to be read at once, without the last good version before it.
  await Deno.utime(rig.manifestPath("local"), 1, 1);
  await rig.startAgent();
  await rig.until(
    () =>
      rig.fake.running("in-second").length === 0 &&
      rig.status("local")?.phase === "Running",
    "the file's pods to be what their manifests say",
  );
  notStrictEqual(rig.only("in-local").id, local);
  await rig.pass(120_000);
  strictEqual(rig.only("in-remote").id, remote);

  server.pods = [];
  server.isCut = false;
  await rig.until(
    () => rig.fake.running("in-remote").length === 0,
    "the pod that the URL does not name to end",
  );
});

Deno.test("Agent ends the pods of a URL that is configured no more, and restores none of them later", async () => {
  await using server = new PodServer(pod("remote"));
  await using rig = await CoreRig.start({ flags: server.flags });
  await untilRunning(rig, "remote");
  const withUrl = rig.config;
  await rig.stopAgent();
  rig.config = await coreConfig(rig.directory, {});
  await rig.startAgent();
  await untilGone(rig);
  deepStrictEqual(urlRecords(rig), []);

  await rig.stopAgent();
  rig.config = withUrl;
  server.isCut = true;
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await rig.pass(60_000);
  strictEqual(rig.pod("remote"), undefined);
  deepStrictEqual(rig.mutations(from), []);
});

function urlRecords(rig: CoreRig): string[] {
  return rig.list(`${rig.config.paths.rootDir}/checkpoints/url`);
}

async function forgetUrl(rig: CoreRig): Promise<void> {
  const directory = `${rig.config.paths.rootDir}/checkpoints/url`;
  await Deno.remove(directory, { recursive: true });
}

function version(label: string): Record<string, unknown> {
  return { metadata: { name: "local", labels: { version: label } } };
}
