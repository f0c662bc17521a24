/**
 * Many pods whose steps go on at the same time, and the others beside them.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { CreateContainerRequest } from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, web } from "../../support/agent/manifests.ts";

/** More than the agent syncs at a time. */
const PODS = 40;

/** The pods whose calls hang. */
const STUCK = Array.from({ length: PODS }, (_, number) => `stuck-${number}`);

function podOf(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  const container = busybox(name, { name, ...fields });
  return web({ name, spec: { containers: [container] } });
}

function isStuck(request: unknown): boolean {
  // The fake decodes each request by its method.
  const { config } = request as CreateContainerRequest;
  return config?.metadata?.name.startsWith("stuck-") ?? false;
}

async function withStuck(rig: CoreRig): Promise<void> {
  for (const name of STUCK) await rig.apply(name, podOf(name));
  await rig.until(
    () => STUCK.every((name) => rig.fake.running(name).length === 1),
    "all of them",
  );
}

Deno.test("Agent starts a pod soon beside forty of which the runtime does not make a container", async () => {
  await using rig = await CoreRig.start();
  await withStuck(rig);
  rig.fake.fault("CreateContainer", { kind: "hang" }, { when: isStuck });
  const calls = () => rig.fake.callsOf("CreateContainer").length;
  const before = calls();
  for (const name of STUCK) rig.fake.exitContainer(rig.only(name).id, 1);
  const sinceMs = rig.clock.monotonic();
  await rig.apply("healthy", podOf("healthy"));
  await rig.until(
    () => rig.fake.running("healthy").length === 1,
    "the other pod",
  );
  // 40 pods, 16 at a time, 250 ms each, and the time for its own start.
  ok(rig.clock.monotonic() - sinceMs <= 5_000);
  await rig.until(() => calls() === before + PODS + 1, "all the calls");
});

Deno.test("Agent starts a pod beside forty whose image hangs, and ends each of them at once", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("PullImage", { kind: "hang" });
  for (const name of STUCK) {
    const image = `localhost/${name}:1`;
    await rig.apply(name, podOf(name, { image }));
  }
  await rig.apply("healthy", podOf("healthy"));
  await rig.until(
    () => rig.fake.running("healthy").length === 1,
    "the other pod",
  );
  for (const name of STUCK) await rig.remove(name);
  await rig.until(() => rig.fake.sandboxes.size === 1, "their ends");
  strictEqual(rig.fake.running("healthy").length, 1);
});
