/**
 * The stream of container events.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { systemClock } from "../../../mod/base/mod.ts";
import type { ContainerEvent } from "../../../mod/cri/mod.ts";
import { runContainer, startRig } from "./cri_rig.ts";

Deno.test("RuntimeService.containerEvents() yields moves until it is aborted", async () => {
  await using rig = await startRig();
  rig.fake.eventsEnabled = true;
  const controller = new AbortController();
  const events: ContainerEvent[] = [];
  const reading = read(rig, controller.signal, (event) => {
    events.push(event);
    if (event.kind === "stopped") controller.abort();
  });
  await subscribed(rig);
  const { sandboxId, containerId } = await runContainer(rig, "web");
  rig.fake.exitContainer(containerId, 1);
  await reading;
  deepStrictEqual(
    events.map(({ kind, containerId, podUid }) => [kind, containerId, podUid]),
    [
      ["created", sandboxId, "uid-web"],
      ["started", sandboxId, "uid-web"],
      ["created", containerId, "uid-web"],
      ["started", containerId, "uid-web"],
      ["stopped", containerId, "uid-web"],
    ],
  );
});

Deno.test("RuntimeService.containerEvents() ends the call when its reader leaves", async () => {
  await using rig = await startRig();
  rig.fake.eventsEnabled = true;
  const { signal } = new AbortController();
  const reading = (async () => {
    for await (const _ of rig.cri.runtime.containerEvents(signal)) break;
  })();
  await subscribed(rig);
  await runContainer(rig, "web");
  await reading;
  strictEqual(rig.fake.callsOf("GetContainerEvents").length, 1);
  while (rig.fake.listeners > 0) await pause();
});

Deno.test("RuntimeService.containerEvents() fails as unavailable when the runtime goes", async () => {
  await using rig = await startRig();
  rig.fake.eventsEnabled = true;
  const { signal } = new AbortController();
  const reading = rejects(read(rig, signal, () => {}), { kind: "unavailable" });
  await subscribed(rig);
  await rig.fake.stop();
  await reading;
});

Deno.test("RuntimeService.containerEvents() is unimplemented where it is switched off", async () => {
  await using rig = await startRig();
  const { signal } = new AbortController();
  await rejects(read(rig, signal, () => {}), {
    kind: "unimplemented",
    method: "GetContainerEvents",
  });
});

type Rig = Awaited<ReturnType<typeof startRig>>;

async function read(
  rig: Rig,
  signal: AbortSignal,
  take: (event: ContainerEvent) => void,
): Promise<void> {
  for await (const event of rig.cri.runtime.containerEvents(signal)) {
    take(event);
  }
}

async function subscribed(rig: Rig): Promise<void> {
  while (rig.fake.listeners === 0) await pause();
}

function pause(): Promise<void> {
  return systemClock.sleep(2, new AbortController().signal);
}
