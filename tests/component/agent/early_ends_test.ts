/**
 * An agent whose containerd knows of ends before its CRI shows them.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { taskMessage } from "../../support/fake_cri/to_answer.ts";
import { exitEnvelope } from "../../support/fake_cri/event_streams.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

async function start(
  spec: Readonly<Record<string, unknown>> = {},
): Promise<CoreRig> {
  const rig = await CoreRig.start({
    prepare: ({ fake }) => {
      fake.settings.runtimeVersion = "1.7.20";
      fake.eventsEnabled = true;
      fake.containerdEventsEnabled = true;
      fake.tasks = true;
    },
  });
  await rig.apply("web", web({ spec }));
  await untilRunning(rig);
  await rig.pass(5_000);
  return rig;
}

function ofWeb(rig: CoreRig) {
  return rig.status("web")?.containerStatuses?.[0];
}

Deno.test("Agent restarts a container whose end the CRI does not show yet (PL-01)", async () => {
  await using rig = await start();
  const { id } = rig.only(WEB);
  rig.fake.endTask(id, 137, { reason: "OOMKilled" });
  await rig.until(() => rig.fake.running(WEB).length === 1, "the restart", {
    stepMs: 1,
    limitMs: 100,
  });
  ok(rig.fake.running(WEB).every((container) => container.id !== id));
  await rig.until(() => ofWeb(rig)?.restartCount === 1, "the count");
  // The CRI knows more of the end than the task did: the status follows.
  await rig.until(
    () => ofWeb(rig)?.lastState?.terminated?.reason === "OOMKilled",
    "the reason",
  );
  strictEqual(ofWeb(rig)?.lastState?.terminated?.exitCode, 137);
  await rig.pass(20_000);
  strictEqual(ofWeb(rig)?.restartCount, 1);
});

Deno.test("Agent completes the end of a pod that is not to run again by what the CRI says later", async () => {
  await using rig = await start({ restartPolicy: "Never" });
  rig.fake.endTask(rig.only(WEB).id, 137, { reason: "OOMKilled" });
  await untilPhase(rig, "Failed");
  await rig.until(
    () => ofWeb(rig)?.state?.terminated?.reason === "OOMKilled",
    "the reason",
  );
  strictEqual(rig.fake.running(WEB).length, 0);
});

interface DoubtRow {
  readonly name: string;
  readonly prepare: (rig: CoreRig, id: string) => void;
}

const doubts: readonly DoubtRow[] = [
  {
    name: "does not have the service",
    prepare: ({ fake }) => {
      fake.tasks = false;
    },
  },
  {
    name: "does not let the agent ask",
    prepare: ({ fake }) =>
      fake.fault("Get", { kind: "error", code: 7, details: "no" }),
  },
  {
    name: "fails to say",
    prepare: ({ fake }) =>
      fake.fault("Get", {
        kind: "error",
        code: CODE.unknown,
        details: "ttrpc: closed",
      }, { times: 100 }),
  },
  {
    name: "says that it runs",
    prepare: ({ fake }) => {
      fake.tasks = (id) => taskMessage(id, undefined);
    },
  },
  {
    name: "tells of another end",
    prepare: ({ fake }) => {
      fake.tasks = (id) => taskMessage(id, { code: 137, at: 1_000_000_000n });
    },
  },
  {
    name: "talks garbage",
    prepare: ({ fake }) => {
      fake.tasks = () => new Uint8Array([255, 255, 1]);
    },
  },
];

for (const { name, prepare } of doubts) {
  Deno.test(`Agent restarts when the CRI shows an end of which containerd ${name}`, async () => {
    await using rig = await start();
    const { id } = rig.only(WEB);
    prepare(rig, id);
    rig.fake.endTask(id, 137);
    await rig.pass(500, 10);
    strictEqual(rig.fake.running(WEB).length, 0);
    rig.fake.exitContainer(id, 1);
    await rig.until(() => rig.fake.running(WEB).length === 1, "the restart", {
      stepMs: 10,
      limitMs: 2_000,
    });
    await rig.until(() => ofWeb(rig)?.restartCount === 1, "the count");
    strictEqual(ofWeb(rig)?.lastState?.terminated?.exitCode, 137);
  });
}

Deno.test("Agent does not believe containerd's word about a container that runs: neither an event nor a task alone (I1)", async () => {
  await using rig = await start();
  const { id } = rig.only(WEB);
  const from = rig.fake.calls.length;
  const lie = { code: 137, at: 2_000_000_000n };
  rig.fake.tasks = (asked) => taskMessage(asked, lie);
  rig.fake.eventStreams.announce(
    "Subscribe",
    exitEnvelope({ containerId: id, processId: id, at: 1_000_000_000n }),
  );
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.only(WEB).id, id);
});

Deno.test("Agent ends a container for good that runs although containerd's event and task agree that it ended (I1)", async () => {
  await using rig = await start();
  const { id } = rig.only(WEB);
  const lie = { code: 137, at: 2_000_000_000n };
  rig.fake.tasks = (asked) =>
    taskMessage(asked, asked === id ? lie : undefined);
  rig.fake.eventStreams.announce(
    "Subscribe",
    exitEnvelope({ containerId: id, processId: id, at: lie.at, exit: lie }),
  );
  await rig.until(() => rig.only(WEB).id !== id, "the old one to end", {
    limitMs: 1_000,
  });
  await rig.pass(60_000);
  strictEqual(ofWeb(rig)?.restartCount, 1);
  // No agent can tell this lie from the truth before the successor runs.
  rig.violations.splice(0);
});
