/**
 * One pod from its manifest to a running container.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, withRunning } from "../../support/agent/phases.ts";

Deno.test("Agent starts a pod with exactly the calls that it takes", async () => {
  await using rig = await CoreRig.start();
  await rig.until(() => rig.core.watch.health().healthy, "a list");
  const from = rig.fake.calls.length;
  await rig.apply("web", web());
  await untilPhase(rig, "Running", { stepMs: 0 });
  deepStrictEqual(rig.mutations(from), [
    "RunPodSandbox",
    "CreateContainer",
    "StartContainer",
  ]);
  const asked = rig.fake.calls.slice(from).map(({ method }) => method)
    .filter((method) => !method.startsWith("List"));
  // What is read beside: the image, the sandbox's address, the container's start.
  strictEqual(asked.length, 6, asked.join(" "));
});

Deno.test("Agent asks the runtime nothing but two lists a period while pods are as they should be", async () => {
  await using rig = await withRunning();
  await rig.pass(3_000);
  const from = rig.fake.calls.length;
  await rig.pass(100_000);
  const methods = rig.fake.calls.slice(from).map(({ method }) => method);
  deepStrictEqual([...new Set(methods)].sort(), [
    "ListContainers",
    "ListPodSandbox",
  ]);
  ok(methods.length <= 202, String(methods.length));
});

Deno.test("Agent shows a running pod with container id, address and start time", async () => {
  await using rig = await withRunning();
  const status = rig.status("web");
  const container = rig.only(WEB);
  const [shown] = status?.containerStatuses ?? [];
  strictEqual(shown?.containerID, `containerd://${container.id}`);
  strictEqual(shown?.ready, true);
  strictEqual(shown?.restartCount, 0);
  strictEqual(
    shown?.state?.running?.startedAt,
    new Date(Number(container.startedAt / 1_000_000n)).toISOString()
      .replace(/\.\d+Z/, "Z"),
  );
  match(status?.podIP ?? "", /^10\.88\./);
  deepStrictEqual(status?.podIPs, [{ ip: status?.podIP }]);
});

Deno.test("Agent gives pods beside each other their own containers", async () => {
  await using rig = await CoreRig.start();
  const names = ["a", "b", "c", "d"];
  for (const name of names) await rig.apply(name, web({ name }));
  await rig.until(
    () => names.every((name) => rig.status(name)?.phase === "Running"),
    "all Running",
  );
  strictEqual(rig.fake.running(WEB).length, 4);
  strictEqual(rig.ready().length, 4);
});

Deno.test("Agent leaves everything as it is when it is told to stop", async () => {
  await using rig = await withRunning();
  // Also a pod half way, whose sandbox does not come.
  rig.fake.fault("RunPodSandbox", { kind: "hang" });
  await rig.apply("late", web({ name: "late" }));
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length === 2,
    "the second pod",
  );
  const { id } = rig.only(WEB);
  const from = rig.fake.calls.length;
  await rig.stopAgent();
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.only(WEB).id, id);
});

Deno.test("Agent tells a new pod the name server that the node has now, not the one at the agent's start", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      const resolvConf = `${rig.directory}/resolv.conf`;
      await Deno.writeTextFile(resolvConf, "nameserver 10.0.0.1\n");
      const { node } = rig.config;
      rig.config = { ...rig.config, node: { ...node, resolvConf } };
    },
  });
  const servers = (): readonly string[] =>
    [...rig.fake.sandboxes.values()].map(({ config: { dnsConfig } }) =>
      dnsConfig?.servers?.join() ?? ""
    );
  await rig.apply("web", web());
  await rig.until(() => rig.fake.running(WEB).length === 1, "Running");
  deepStrictEqual(servers(), ["10.0.0.1"]);
  await Deno.writeTextFile(
    `${rig.directory}/resolv.conf`,
    "nameserver 10.0.0.2\n",
  );
  await rig.pass(60_000);
  await rig.apply("other", web({ name: "other" }));
  await rig.until(() => rig.fake.running(WEB).length === 2, "both");
  // A pod that runs keeps what it has.
  deepStrictEqual(servers(), ["10.0.0.1", "10.0.0.2"]);
});
