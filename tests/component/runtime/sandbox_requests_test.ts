/**
 * What pods that want something special of the runtime make it be asked.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { RuntimeClassObject } from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { SpecNode } from "../../../mod/runtime/spec/mod.ts";
import type {
  CreateContainerRequest,
  RunPodSandboxRequest,
} from "../../../proto/gen/runtime/v1/api.ts";
import type { FakeCri } from "../../support/fake_cri/fake_cri.ts";
import { container, pod } from "../../support/pods.ts";
import {
  type FakeRig,
  fakeRig,
  unseen,
} from "../../support/runtime/runtime_rig.ts";

const ABLE: SpecNode["runtime"] = () => ({
  handlers: [
    { name: "", userNamespaces: true },
    { name: "kata", userNamespaces: false },
  ],
  supplementalGroupsPolicy: true,
});

Deno.test("PodExecutor.execute() runs a pod under the handler of its RuntimeClass", async () => {
  const runtimeClass = (
    _pod: Pod,
    name: string,
  ): RuntimeClassObject | undefined =>
    name === "sandboxed"
      ? {
        kind: "RuntimeClass",
        name,
        handler: "kata",
        overhead: new Map(),
        nodeSelector: {},
      }
      : undefined;
  await using both = await fakeRig({}, {
    runtime: ABLE,
    node: { runtimeClass },
  });
  await both.rig.sync(pod({ runtimeClassName: "sandboxed" }));
  strictEqual(sandboxOf(both.fake).runtimeHandler, "kata");
});

Deno.test("PodExecutor.execute() asks for the default handler where a pod names no class", async () => {
  await using both = await fakeRig();
  await both.rig.sync(pod());
  strictEqual(sandboxOf(both.fake).runtimeHandler, "");
});

Deno.test("PodExecutor.execute() waits for a class that nobody knows", async () => {
  await using both = await fakeRig({}, { runtime: ABLE });
  const subject = pod({ runtimeClassName: "gone" });
  const { failures, retryAtMs } = await refused(both, subject);
  match(failures, /RuntimeHandler "gone" is unknown/);
  match(both.rig.told()[0] ?? "", /^FailedCreatePodSandBox: .*"gone"/);
  ok(retryAtMs !== undefined);
});

Deno.test("PodExecutor.execute() maps a range of ids of its own into each user namespace", async () => {
  await using both = await fakeRig({}, { runtime: ABLE });
  const { rig, fake } = both;
  const first = pod({ hostUsers: false });
  const second = pod({ hostUsers: false, name: "two", uid: "u-2" });
  await rig.sync(first);
  await rig.sync(second);
  const mappings = fake.callsOf("RunPodSandbox").map(({ request }) =>
    (request as RunPodSandboxRequest).config?.linux?.securityContext
      ?.namespaceOptions?.usernsOptions
  );
  const range = (hostId: number) => [{
    hostId,
    containerId: 0,
    length: 65_536,
  }];
  deepStrictEqual(mappings, [
    { mode: 0, uids: range(65_536), gids: range(65_536) },
    { mode: 0, uids: range(131_072), gids: range(131_072) },
  ]);
  const { config } = containerOf(fake);
  deepStrictEqual(
    config?.linux?.securityContext?.namespaceOptions?.usernsOptions,
    mappings[0],
  );
  ok(config?.mounts.length);
  for (const { uidMappings, gidMappings } of config?.mounts ?? []) {
    deepStrictEqual([uidMappings, gidMappings], [range(65_536), range(65_536)]);
  }
});

Deno.test("PodExecutor.execute() gives the ids of a pod that is gone to the next", async () => {
  await using both = await fakeRig({}, { runtime: ABLE });
  const { rig, fake } = both;
  const first = pod({ hostUsers: false });
  await rig.sync(first);
  rig.sessions.delete(first.metadata.uid);
  await rig.sync(pod({ hostUsers: false, name: "two", uid: "u-2" }));
  const [, again] = fake.callsOf("RunPodSandbox").map(({ request }) =>
    (request as RunPodSandboxRequest).config?.linux?.securityContext
      ?.namespaceOptions?.usernsOptions?.uids[0]?.hostId
  );
  strictEqual(again, 65_536);
});

for (
  const [title, spec, reason] of [
    [
      "a user namespace",
      { hostUsers: false },
      "PodFeatureUnsupported",
    ],
    [
      "strict groups",
      { securityContext: { supplementalGroupsPolicy: "Strict" } },
      "SupplementalGroupsPolicyNotSupported",
    ],
  ] as const
) {
  Deno.test(`PodExecutor.execute() refuses ${title} of a runtime that does not say it can`, async () => {
    await using both = await fakeRig();
    await refused(both, pod(spec));
    match(both.rig.told()[0] ?? "", new RegExp(`^${reason}: `));
  });
}

Deno.test("PodExecutor.execute() makes no sandbox for a pod whose ids cannot be kept, and says so", async () => {
  await using both = await fakeRig({}, { runtime: ABLE });
  const subject = pod({ hostUsers: false });
  const directory = `${both.rig.podsDir}/${subject.metadata.uid}`;
  await Deno.mkdir(`${directory}/record.json`, { recursive: true });
  const { failures, retryAtMs } = await refused(both, subject);
  match(failures, /^Failed to create pod sandbox: .*record\.json/);
  ok(retryAtMs !== undefined);
});

Deno.test("PodExecutor.execute() has an ephemeral container join the processes of its target, if that runs, and no other container any", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const containers = [container("c"), container("d"), container("gone")];
  const restartPolicy = "Never";
  await rig.sync(pod({ containers, restartPolicy }));
  const [target] = fake.running("d");
  for (const { id } of fake.running("gone")) fake.exitContainer(id, 0);
  const ephemeral = (name: string, targetContainerName?: string) => ({
    ...container(name),
    ...targetContainerName !== undefined && { targetContainerName },
  });
  const ephemeralContainers = [
    ephemeral("debug", "d"),
    ephemeral("late", "gone"),
    ephemeral("plain"),
  ];
  await rig.sync(pod({ containers, restartPolicy, ephemeralContainers }));
  const joined = ["c", "d", "debug", "late", "plain"].map((name) =>
    fake.running(name)[0]?.config.linux?.securityContext?.namespaceOptions
      ?.targetId
  );
  deepStrictEqual(joined, ["", "", target?.id, "", ""]);
});

Deno.test("PodExecutor.execute() warns of a cluster DNS that is not there", async () => {
  await using both = await fakeRig();
  await both.rig.sync(pod({ dnsPolicy: "ClusterFirstWithHostNet" }));
  const [{ type, reason } = {}] = both.rig.events;
  deepStrictEqual([type, reason], ["Warning", "MissingClusterDNS"]);
});

/** Syncs a pod that gets no sandbox. */
async function refused(
  { rig, fake }: FakeRig,
  subject: ReturnType<typeof pod>,
): Promise<{ failures: string; retryAtMs: number | undefined }> {
  const { failures, podFailure } = await rig.sync(subject, {
    observed: unseen(subject),
  });
  deepStrictEqual(fake.callsOf("RunPodSandbox"), []);
  const failure = podFailure ?? failures[0];
  return {
    failures: failure?.message ?? "",
    retryAtMs: failure?.retryAtMs,
  };
}

function sandboxOf(fake: FakeCri): RunPodSandboxRequest {
  // The fake decodes each request by its method.
  return fake.callsOf("RunPodSandbox")[0]?.request as RunPodSandboxRequest;
}

function containerOf(fake: FakeCri): CreateContainerRequest {
  return fake.callsOf("CreateContainer")[0]?.request as CreateContainerRequest;
}
