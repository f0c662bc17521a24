/**
 * An agent whose URL does not answer: what it brought goes on, and nothing else waits.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/core_rig.ts";
import { container, web } from "./manifests.ts";

/** A server of pods that can be cut off. */
class PodServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  pods: readonly unknown[];
  isCut = false;

  constructor(...pods: readonly unknown[]) {
    this.pods = pods;
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, () => {
      if (this.isCut) return new Response("away", { status: 503 });
      const items = this.pods;
      return Response.json({ apiVersion: "v1", kind: "PodList", items });
    });
  }

  get flags(): readonly string[] {
    return [`--manifest-url=http://127.0.0.1:${this.#server.addr.port}/`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function pod(name: string): Record<string, unknown> {
  return web({ name, spec: { containers: [container(`in-${name}`)] } });
}

async function untilRunning(
  rig: CoreRig,
  ...names: readonly string[]
): Promise<void> {
  await rig.until(
    () => names.every((name) => rig.status(name)?.phase === "Running"),
    `${names} to run`,
  );
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
