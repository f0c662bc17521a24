/**
 * Sandboxes and containers in states that they should not be in.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { CriConnection } from "../../../mod/cri/mod.ts";
import type { RuntimeService } from "../../../mod/cri/model/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { withOtherRuntime } from "../../support/agent/other_runtime.ts";
import {
  untilPhase,
  untilRunning,
  withRunning,
} from "../../support/agent/phases.ts";

Deno.test("Agent gives a pod a new sandbox when the old one dies (RT-02)", async () => {
  await using rig = await withRunning();
  const old = rig.only(WEB);
  // As in containerd its container runs on in it.
  rig.fake.killSandbox(old.sandboxId);
  await rig.until(
    () => rig.ready().length === 1 && rig.fake.running(WEB).length === 1,
    "the second sandbox",
  );
  strictEqual(rig.ready()[0]?.config.metadata?.attempt, 1);
  strictEqual(rig.only(WEB).sandboxId, rig.ready()[0]?.id);
  await rig.until(
    () => rig.status("web")?.podIP === rig.ready()[0]?.ip,
    "the new address",
  );
  strictEqual(rig.status("web")?.containerStatuses?.[0]?.restartCount, 1);
});

Deno.test("Agent does not run a succeeded OnFailure container again in a new sandbox (RT-02)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("done", { exit: { code: 0, afterMs: 100 } });
  const spec = {
    restartPolicy: "OnFailure",
    containers: [busybox("done"), busybox("works")],
  };
  await rig.apply("web", web({ spec }));
  await rig.until(() => rig.fake.running("works").length === 1, "works");
  await rig.pass(3_000);
  rig.fake.killSandbox(rig.only("works").sandboxId);
  await rig.until(
    () => rig.ready().length === 1 && rig.fake.running("works").length === 1,
    "the second sandbox",
  );
  await rig.pass(5_000);
  strictEqual(countCreated(rig, "done"), 1);
});

Deno.test("Agent makes no new sandbox for a Never pod whose containers have ended (RT-02)", async () => {
  await using rig = await withRunning(
    web({ spec: { restartPolicy: "Never" } }),
  );
  const { id, sandboxId } = rig.only(WEB);
  rig.fake.exitContainer(id, 0);
  rig.fake.killSandbox(sandboxId);
  await untilPhase(rig, "Succeeded");
  await rig.pass(70_000);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, 1);
});

Deno.test("Agent makes a new sandbox for a Never pod none of whose containers was ever made (RT-02)", async () => {
  await using rig = await CoreRig.start();
  const refusal = { kind: "error", code: 13, details: "no luck" } as const;
  rig.fake.fault("CreateContainer", refusal);
  await rig.apply("web", web({ spec: { restartPolicy: "Never" } }));
  await rig.until(
    () => rig.fake.callsOf("CreateContainer").length > 0,
    "the first attempt",
  );
  rig.fake.killSandbox(rig.ready()[0]?.id ?? "");
  rig.fake.clearFaults();
  await untilRunning(rig);
  strictEqual(rig.ready().length, 1);
  strictEqual(rig.ready()[0]?.config.metadata?.attempt, 1);
});

Deno.test("Agent makes one of two ready sandboxes", async () => {
  let config: Parameters<RuntimeService["runPodSandbox"]>[0] | undefined;
  await using rig = await CoreRig.start({
    wrap: (connection) =>
      withOtherRuntime(connection, {
        runPodSandbox: (given, options) => {
          config = given;
          return connection.runtime.runPodSandbox(given, options);
        },
      }),
  });
  await rig.apply("web", web());
  await untilRunning(rig);
  ok(config);
  const metadata = { ...config.metadata, attempt: 1 };
  await rig.connection.runtime.runPodSandbox({ ...config, metadata });
  strictEqual(rig.ready().length, 2);
  await rig.until(
    () => rig.ready().length === 1 && rig.fake.running(WEB).length === 1,
    "one sandbox",
  );
  await rig.pass(5_000);
  strictEqual(rig.ready().length, 1);
  strictEqual(rig.only(WEB).sandboxId, rig.ready()[0]?.id);
});

Deno.test("Agent makes a sandbox without an address again, and not in a tight loop (RT-04)", async () => {
  let blank = false;
  await using rig = await CoreRig.start({
    wrap: (connection) =>
      withOtherRuntime(connection, {
        podSandboxStatus: async (id, options) => {
          const status = await connection.runtime.podSandboxStatus(id, options);
          return blank ? { ...status, ip: "" } : status;
        },
      }),
  });
  blank = true;
  await rig.apply("web", web());
  await rig.pass(60_000);
  const made = rig.fake.callsOf("RunPodSandbox").length;
  ok(made >= 3 && made <= 8, `${made} sandboxes in a minute`);
  strictEqual(rig.fake.callsOf("CreateContainer").length, 0);
  blank = false;
  await untilRunning(rig);
  await rig.pass(3_000);
  strictEqual(rig.ready().length, 1);
  strictEqual(rig.fake.sandboxes.size, 1);
});

for (const restartPolicy of ["Always", "OnFailure", "Never"]) {
  Deno.test(`Agent stops and replaces a container in an unknown state under ${restartPolicy} (RT-06)`, async () => {
    const unknown = new Set<string>();
    await using rig = await CoreRig.start({
      wrap: (connection) => withUnknown(connection, unknown),
    });
    await rig.apply("web", web({ spec: { restartPolicy } }));
    await untilRunning(rig);
    const { id } = rig.only(WEB);
    unknown.add(id);
    const from = rig.fake.calls.length;
    await rig.until(
      () => rig.fake.running(WEB).some((other) => other.id !== id),
      "its successor",
    );
    deepStrictEqual(rig.mutations(from).slice(0, 3), [
      "StopContainer",
      "CreateContainer",
      "StartContainer",
    ]);
    await rig.pass(5_000);
    strictEqual(rig.fake.running(WEB).length, 1);
    strictEqual(rig.status("web")?.phase, "Running");
    strictEqual(rig.status("web")?.containerStatuses?.[0]?.restartCount, 1);
  });
}

Deno.test("Agent fails a pod under Never whose init container is in an unknown state (RT-06)", async () => {
  const unknown = new Set<string>();
  await using rig = await CoreRig.start({
    wrap: (connection) => withUnknown(connection, unknown),
  });
  const initContainers = [busybox("init")];
  await rig.apply(
    "web",
    web({ spec: { restartPolicy: "Never", initContainers } }),
  );
  await rig.until(() => rig.fake.running("init").length === 1, "init");
  unknown.add(rig.only("init").id);
  await untilPhase(rig, "Failed");
  await rig.until(() => rig.fake.running("init").length === 0, "its end");
  await rig.pass(70_000);
  strictEqual(rig.fake.callsOf("CreateContainer").length, 1);
});

Deno.test("Agent makes another sandbox when a running one loses its address, but leaves one on the node's network (RT-04)", async () => {
  let blank = false;
  await using rig = await CoreRig.start({
    wrap: (connection) =>
      withOtherRuntime(connection, {
        podSandboxStatus: async (id, options) => {
          const status = await connection.runtime.podSandboxStatus(id, options);
          return blank ? { ...status, ip: "" } : status;
        },
      }),
  });
  await rig.apply("web", web());
  await rig.apply("host", web({ name: "host", spec: { hostNetwork: true } }));
  await rig.until(() => rig.fake.running(WEB).length === 2, "both");
  await rig.pass(2_000);
  blank = true;
  for (const { id } of rig.fake.running(WEB)) rig.fake.exitContainer(id, 1);
  await rig.pass(60_000);
  const made = rig.fake.callsOf("RunPodSandbox").length;
  ok(made >= 4 && made <= 10, `${made} sandboxes`);
  strictEqual(rig.status("host")?.phase, "Running");
  blank = false;
  await rig.until(() => rig.fake.running(WEB).length === 2, "both again");
  await rig.pass(3_000);
  const attempts = rig.ready().map(({ config }) => config.metadata?.attempt);
  strictEqual(attempts.length, 2);
  ok(attempts.includes(0), "the sandbox on the node's network is the first");
  strictEqual(attempts.filter((attempt) => attempt === 0).length, 1);
});

Deno.test("Agent makes a sandbox that dies again and again less and less often, and forgets it after a calm (RT-02, RT-04)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await rig.until(() => rig.fake.running(WEB).length === 1, "Running");
  const made = () => rig.fake.callsOf("RunPodSandbox").length;
  for (let second = 0; second < 120; second++) {
    for (const { id } of rig.ready()) rig.fake.killSandbox(id);
    await rig.pass(1_000);
  }
  // The first, one at once, then after 2, 4, 8, 16, 30 and 30 s.
  ok(made() >= 6 && made() <= 9, `${made()} sandboxes in two minutes`);
  await rig.until(() => rig.fake.running(WEB).length === 1, "a quiet one");
  await rig.pass(601_000, 30_000);
  const before = made();
  rig.fake.killSandbox(rig.only(WEB).sandboxId);
  await rig.until(() => made() === before + 1, "another at once", {
    limitMs: 1_800,
  });
});

Deno.test("Agent makes a sandbox that loses its address again and again less and less often (RT-04)", async () => {
  const lost = new Set<string>();
  await using rig = await CoreRig.start({
    wrap: (connection) =>
      withOtherRuntime(connection, {
        podSandboxStatus: async (id, options) => {
          const status = await connection.runtime.podSandboxStatus(id, options);
          return lost.has(id) ? { ...status, ip: "" } : status;
        },
      }),
  });
  await rig.apply("web", web());
  for (let second = 0; second < 120; second++) {
    await rig.pass(1_000);
    const [runs] = rig.fake.running(WEB);
    if (runs === undefined || lost.has(runs.sandboxId)) continue;
    lost.add(runs.sandboxId);
    // An address is looked at when something has moved in the pod.
    rig.fake.exitContainer(runs.id, 1);
  }
  const made = rig.fake.callsOf("RunPodSandbox").length;
  ok(made >= 5 && made <= 9, `${made} sandboxes in two minutes`);
});

/** A runtime that does not know how some of its containers are. */
function withUnknown(
  connection: CriConnection,
  ids: ReadonlySet<string>,
): CriConnection {
  const { runtime } = connection;
  return withOtherRuntime(connection, {
    listContainers: async (filter, options) =>
      (await runtime.listContainers(filter, options)).map((row) =>
        ids.has(row.id) ? { ...row, state: "unknown" } : row
      ),
    containerStatus: async (id, options) => {
      const status = await runtime.containerStatus(id, options);
      return ids.has(id) ? { ...status, state: "unknown" } : status;
    },
  });
}

function countCreated(rig: CoreRig, name: string): number {
  return rig.fake.callsOf("CreateContainer").filter(({ request }) =>
    JSON.stringify(
      request,
      (_key, value) => typeof value === "bigint" ? String(value) : value,
    ).includes(`"name":"${name}"`)
  ).length;
}

Deno.test("Agent tells once why a pod has no sandbox", async () => {
  await using rig = await CoreRig.start();
  const refusal = { kind: "error", code: 13, details: "no luck" } as const;
  rig.fake.fault("RunPodSandbox", refusal);
  await rig.apply("web", web({ uid: "fixed" }));
  const failures = () =>
    (rig.core.agent.outcome("fixed")?.decision?.failures ?? [])
      .map(({ reason }) => reason);
  await rig.until(() => failures().length > 0, "a failure");
  await rig.pass(3_000);
  deepStrictEqual(failures(), ["CreatePodSandboxError"]);
});
