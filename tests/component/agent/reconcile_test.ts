/**
 * What is wanted against what there is: names, UIDs and places across sources,
 * removals and restarts of the agent (I1).
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { LABEL_POD_UID } from "../../../mod/api/vocabulary/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { RawServer } from "../../support/peers/manifest_server.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { withOtherRuntime } from "../../support/agent/other_runtime.ts";
import {
  untilContainerRuns,
  untilRunning,
} from "../../support/agent/phases.ts";
import { listAnswer, startWithUrl } from "../../support/agent/pod_server.ts";

const UID = "0badc0de-0000-4000-8000-000000000003";
const OTHER_UID = "0badc0de-0000-4000-8000-000000000004";

/** No answer that counts, so that the source stays silent. */
const SILENCE = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

/** The pod `twin`, whose container says whose it is. */
function twin(of: string, uid?: string): Record<string, unknown> {
  const env = [{ name: "OF", value: of }];
  return web({
    name: "twin",
    ...uid !== undefined && { uid },
    spec: { containers: [busybox("twin", { env })] },
  });
}

function ownerOf(rig: CoreRig, name: string): string | undefined {
  return rig.only(name).config.envs.find(({ key }) => key === "OF")?.value
    .toString();
}

/** The URL's `twin` runs and the file's waits; then the agent is stopped. */
async function withWaitingTwin(server: RawServer): Promise<CoreRig> {
  const rig = await startWithUrl(server);
  await untilContainerRuns(rig, "twin");
  await rig.apply("twin", twin("file", UID));
  await rig.pass(5_000);
  strictEqual(ownerOf(rig, "twin"), "url");
  await rig.stopAgent();
  return rig;
}

async function forgetCheckpoint(rig: CoreRig): Promise<void> {
  const { rootDir } = rig.config.paths;
  await Deno.remove(`${rootDir}/checkpoints/url`, { recursive: true });
}

const RESTARTS: readonly {
  readonly what: string;
  readonly before?: (rig: CoreRig, server: RawServer) => Promise<void>;
  readonly after?: (server: RawServer) => void;
}[] = [
  { what: "both sources at once" },
  {
    what: "the URL speaks late",
    before: async (rig, server) => {
      await forgetCheckpoint(rig);
      server.misbehaviour = SILENCE;
    },
    after: (server) => server.misbehaviour = listAnswer(twin("url")),
  },
  {
    what: "the URL comes first",
    before: async (rig) => {
      // A young file is read when it has been left alone for a moment.
      const now = rig.clock.now() / 1_000;
      await Deno.utime(rig.manifestPath("twin"), now, now);
    },
  },
  {
    what: "the first list comes after the first set",
    before: async (rig) => {
      await Deno.utime(rig.manifestPath("twin"), 1, 1);
      const slow = { kind: "delay", ms: 3_000 } as const;
      rig.fake.fault("ListPodSandbox", slow, { times: 1 });
    },
  },
];

for (const { what, before, after } of RESTARTS) {
  Deno.test(`Agent that restarts leaves the name to the pod that runs, not to one that waited for it: ${what} (I1)`, async () => {
    await using server = await RawServer.start(listAnswer(twin("url")));
    await using rig = await withWaitingTwin(server);
    const { id } = rig.only("twin");
    await before?.(rig, server);
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await rig.pass(10_000);
    after?.(server);
    await rig.pass(90_000);
    strictEqual(rig.only("twin").id, id);
    deepStrictEqual(rig.mutations(from), []);
    // The one that runs crashes, and is restarted all the same.
    rig.fake.exitContainer(id, 1);
    await rig.until(
      () => rig.fake.running("twin").length === 1 && rig.only("twin").id !== id,
      "the restart",
    );
    strictEqual(ownerOf(rig, "twin"), "url");
    server.misbehaviour = listAnswer();
    await rig.until(
      () =>
        rig.fake.running("twin").length === 1 &&
        ownerOf(rig, "twin") === "file",
      "the file's pod after it",
    );
  });
}

/** Has the runtime run a copy of what it runs, as another pod of the same name. */
async function plantTwin(rig: CoreRig, uid: string): Promise<void> {
  const { fake, config } = rig;
  const [sandbox] = rig.ready();
  const original = rig.only("twin");
  ok(sandbox?.config.metadata !== undefined);
  const { metadata, labels } = sandbox.config;
  const { sandboxes, containers } = fake;
  ok(sandboxes instanceof Map && containers instanceof Map);
  sandboxes.set("planted", {
    ...sandbox,
    id: "planted",
    createdAt: sandbox.createdAt + 1n,
    config: {
      ...sandbox.config,
      metadata: { ...metadata, uid },
      labels: { ...labels, [LABEL_POD_UID]: uid },
    },
  });
  containers.set("planted-twin", {
    ...original,
    id: "planted-twin",
    sandboxId: "planted",
    createdAt: original.createdAt + 1n,
    config: {
      ...original.config,
      labels: { ...original.config.labels, [LABEL_POD_UID]: uid },
    },
  });
  await Deno.mkdir(`${config.paths.rootDir}/pods/${uid}`);
}

Deno.test("Agent that finds two pods of one name running ends the one that began later, and has it wait (I1)", async () => {
  await using server = await RawServer.start(listAnswer(twin("same")));
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "twin");
  const { id } = rig.only("twin");
  await rig.stopAgent();
  await plantTwin(rig, UID);
  await rig.apply("twin", twin("same", UID));
  await Deno.utime(rig.manifestPath("twin"), 1, 1);
  await rig.startAgent();
  await rig.until(() => rig.fake.running("twin").length === 1, "one of them");
  strictEqual(rig.only("twin").id, id);
  await rig.pass(90_000);
  strictEqual(rig.only("twin").id, id);
  // The test itself had them run both.
  rig.violations.length = 0;
  server.misbehaviour = listAnswer();
  await rig.until(
    () => rig.fake.running("twin").length === 1 && rig.only("twin").id !== id,
    "the other after it",
  );
  strictEqual(rig.pod("twin")?.metadata.uid, UID);
});

/** Whose version of `twin` is wanted to run. */
function wantedOf(rig: CoreRig): string | undefined {
  return rig.pod("twin")?.spec.containers[0]?.env?.[0]?.value;
}

Deno.test("Agent keeps a pod that file and URL both list as long as one of them does, in the version of the first", async () => {
  await using server = await RawServer.start(listAnswer());
  await using rig = await startWithUrl(server);
  await rig.apply("twin", twin("file", UID));
  await untilContainerRuns(rig, "twin");
  const { id } = rig.only("twin");
  server.misbehaviour = listAnswer(twin("url", UID));
  await rig.pass(20_000);
  strictEqual(wantedOf(rig), "file");
  ok(rig.events("twin").includes("Warning FailedValidation"));
  strictEqual(rig.metric("skerry_duplicate_pods"), 1);
  strictEqual(rig.logged("pod_duplicate_refused").length, 1);
  await rig.remove("twin");
  await rig.until(() => wantedOf(rig) === "url", "the URL's version");
  await rig.pass(10_000);
  strictEqual(rig.metric("skerry_duplicate_pods"), 0);
  await rig.apply("twin", twin("file", UID));
  await rig.pass(20_000);
  strictEqual(wantedOf(rig), "url");
  // Under one UID it is one pod all the while, and another agent sees it so, too.
  await rig.restartAgent();
  await rig.pass(20_000);
  strictEqual(rig.only("twin").id, id);
  server.misbehaviour = listAnswer();
  await rig.until(() => wantedOf(rig) === "file", "the file's version");
  await rig.pass(5_000);
  strictEqual(rig.only("twin").id, id);
  await rig.remove("twin");
  await untilGone(rig);
});

/** A pod that has a port of the node. */
function onPort(name: string, uid?: string): Record<string, unknown> {
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  return web({
    name,
    ...uid !== undefined && { uid },
    spec: { containers: [busybox(name, { ports })] },
  });
}

/** A pod that asks for more than half of the machine's memory. */
function large(name: string, uid?: string): Record<string, unknown> {
  const memory = String(Math.ceil(Deno.systemMemoryInfo().total * 0.6));
  const resources = { requests: { memory } };
  return web({
    name,
    ...uid !== undefined && { uid },
    spec: { containers: [busybox(name, { resources })] },
  });
}

for (
  const [what, make, reason] of [
    ["port", onPort, "NodePorts"],
    ["memory", large, "OutOfmemory"],
  ] as const
) {
  Deno.test(`Agent judges a pod that is put back while it ends like any other: the one that waited for its ${what} runs`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave("a", { onTerm: { code: 0, afterMs: 4_000 } });
    await rig.apply("a", make("a", UID));
    await untilContainerRuns(rig, "a");
    await rig.apply("b", make("b", OTHER_UID));
    await rig.until(() => rig.status("b")?.reason === reason, "the refusal");
    await rig.remove("a");
    await rig.until(
      () => rig.fake.callsOf("StopContainer").length === 1,
      "its end",
    );
    await rig.apply("a", make("a", UID));
    await untilContainerRuns(rig, "b");
    await rig.pass(20_000);
    deepStrictEqual(rig.fake.running("a"), []);
    strictEqual(rig.status("a")?.phase, "Failed");
    strictEqual(rig.status("a")?.reason, reason);
    // Nothing of its first life is left, and nobody would find it later.
    deepStrictEqual(rig.list(rig.config.runtime.podLogsDir).length, 1);
    await rig.remove("b");
    await untilContainerRuns(rig, "a");
    await rig.remove("a");
    await untilGone(rig);
  });
}

Deno.test("Agent takes back a pod that is put back while it ends: its own old share does not count against it", async () => {
  await using rig = await CoreRig.start({ kubelet: ["maxPods: 1"] });
  rig.fake.behave("a", { onTerm: { code: 0, afterMs: 4_000 } });
  await rig.apply("a", onPort("a", UID));
  await untilContainerRuns(rig, "a");
  const { id } = rig.only("a");
  await rig.remove("a");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end",
  );
  await rig.apply("a", onPort("a", UID));
  strictEqual(rig.pods().length, 1);
  await rig.until(
    () => rig.fake.running("a").length === 1 && rig.only("a").id !== id,
    "its return",
  );
  ok(!rig.events("a").includes("Warning NodePorts"));
  ok(!rig.events("a").includes("Warning OutOfpods"));
});

for (const isListSlow of [false, true]) {
  Deno.test(`Agent has a pod wait for the port of an orphan that ends, known by its labels alone${isListSlow ? ", listed late" : ""}`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave("a", { onTerm: { code: 0, afterMs: 4_000 } });
    await rig.apply("a", onPort("a"));
    await untilContainerRuns(rig, "a");
    await rig.stopAgent();
    await rig.remove("a");
    await rig.apply("b", onPort("b"));
    await Deno.utime(rig.manifestPath("b"), 1, 1);
    if (isListSlow) {
      const slow = { kind: "delay", ms: 3_000 } as const;
      rig.fake.fault("ListPodSandbox", slow, { times: 1 });
    }
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await untilContainerRuns(rig, "b");
    const methods = rig.mutations(from);
    ok(
      methods.indexOf("RunPodSandbox") > methods.indexOf("StopContainer"),
      methods.join(" "),
    );
    deepStrictEqual(
      rig.fake.running("a").map(({ id }) => id),
      [],
    );
    ok(!rig.events("b").includes("Warning NodePorts"));
    await rig.until(() => rig.pods().length === 1, "b alone");
  });
}

Deno.test("Agent runs nothing beside an orphan of the same name that the runtime does not list yet (I1)", async () => {
  let isHiding = false;
  await using rig = await CoreRig.start({
    // A runtime that has just begun may list less than it has.
    wrap: (connection) => {
      const { runtime } = connection;
      return withOtherRuntime(connection, {
        listPodSandbox: async (filter, options) =>
          isHiding && filter === undefined
            ? []
            : await runtime.listPodSandbox(filter, options),
        listContainers: async (filter, options) =>
          isHiding && filter === undefined
            ? []
            : await runtime.listContainers(filter, options),
      });
    },
  });
  rig.fake.behave(WEB, { onTerm: { code: 0, afterMs: 4_000 } });
  await rig.apply("web", web({ uid: UID }));
  await untilContainerRuns(rig, WEB);
  await rig.stopAgent();
  await rig.apply("web", web({ uid: OTHER_UID }));
  await Deno.utime(rig.manifestPath("web"), 1, 1);
  isHiding = true;
  await rig.startAgent();
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "the end of the orphan",
  );
  isHiding = false;
  const uid = () => rig.ready()[0]?.config.metadata?.uid;
  await rig.until(() => uid() === OTHER_UID, "the new one");
  await untilRunning(rig);
});
