/**
 * What the agent stops to start it again never decides what becomes of the pod, even
 * when the agent ends in between.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilOneRuns, untilPhase } from "../../support/agent/phases.ts";

const UID = "8d4a6b1e-27f0-4b9c-9c0e-1d5f3a7b2c4d";

/** It obeys SIGTERM with 0, as well-behaved servers do. */
const OBEYS = { onTerm: { code: 0, afterMs: 0 } } as const;

const refusal = { kind: "error", code: 13, details: "no luck" } as const;

function jobs(
  restartPolicy: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const containers = [busybox(WEB, fields)];
  return web({ uid: UID, spec: { restartPolicy, containers } });
}

/** Lets the agent end after it has stopped the container and before it can start another. */
async function endInBetween(rig: CoreRig): Promise<void> {
  rig.fake.fault("CreateContainer", refusal);
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
  await rig.stopAgent();
  rig.fake.clearFaults();
  await rig.startAgent();
}

for (const restartPolicy of ["OnFailure", "Never"]) {
  Deno.test(`Agent starts an edited container of a ${restartPolicy} pod that ended with 0 before the agent did`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave(WEB, OBEYS);
    rig.fake.addImage({ ref: "localhost/busybox:2" });
    await rig.apply("web", jobs(restartPolicy));
    await untilOneRuns(rig);
    rig.fake.fault("CreateContainer", refusal);
    await rig.apply(
      "web",
      jobs(restartPolicy, { image: "localhost/busybox:2" }),
    );
    await endInBetween(rig);
    await untilOneRuns(rig);
    strictEqual(rig.only(WEB).config.image?.image.includes("sha256"), true);
    strictEqual(rig.fake.callsOf("StartContainer").length, 2);
  });

  Deno.test(`Agent calls no ${restartPolicy} pod Succeeded whose edited container cannot be made`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave(WEB, OBEYS);
    rig.fake.addImage({ ref: "localhost/busybox:2" });
    await rig.apply("web", jobs(restartPolicy));
    await untilOneRuns(rig);
    rig.fake.fault("CreateContainer", refusal);
    await rig.apply(
      "web",
      jobs(restartPolicy, { image: "localhost/busybox:2" }),
    );
    await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
    await rig.pass(60_000);
    strictEqual(rig.status("web")?.phase, "Running");
    rig.fake.clearFaults();
    await untilOneRuns(rig);
  });
}

Deno.test("Agent starts an unhealthy container of an OnFailure pod that ended with 0 before the agent did", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, OBEYS);
  rig.fake.settings.exec = () => ({ exitCode: 1 });
  const livenessProbe = {
    exec: { command: ["check"] },
    periodSeconds: 1,
    failureThreshold: 2,
  };
  await rig.apply("web", jobs("OnFailure", { livenessProbe }));
  await untilOneRuns(rig);
  await endInBetween(rig);
  rig.fake.settings.exec = () => ({});
  await untilOneRuns(rig);
  strictEqual(rig.fake.callsOf("StartContainer").length, 2);
});

Deno.test("Agent calls a Never pod Failed whose unhealthy container ended with 0", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, OBEYS);
  rig.fake.settings.exec = () => ({ exitCode: 1 });
  const livenessProbe = {
    exec: { command: ["check"] },
    periodSeconds: 1,
    failureThreshold: 1,
  };
  await rig.apply("web", jobs("Never", { livenessProbe }));
  await untilPhase(rig, "Failed");
});

Deno.test("Agent runs an OnFailure container again that ended with 0 when its sandbox was replaced", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, OBEYS);
  await rig.apply("web", jobs("OnFailure"));
  await untilOneRuns(rig);
  rig.fake.fault("RunPodSandbox", refusal);
  rig.fake.killSandbox(rig.only(WEB).sandboxId);
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
  await rig.stopAgent();
  rig.fake.clearFaults();
  await rig.startAgent();
  await untilOneRuns(rig);
});

Deno.test("Agent counts an OnFailure container as done that ends with 0 long after its stop was given up", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", jobs("OnFailure"));
  await untilOneRuns(rig);
  rig.fake.settings.exec = () => ({ exitCode: 1 });
  // Nothing stops it: as if the agent had ended before it could.
  rig.fake.fault("StopContainer", refusal);
  rig.fake.addImage({ ref: "localhost/busybox:2" });
  await rig.apply("web", jobs("OnFailure", { image: "localhost/busybox:2" }));
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length > 0,
    "the attempt",
  );
  await rig.stopAgent();
  rig.fake.clearFaults();
  await rig.clock.advance(600_000);
  rig.fake.exitContainer(rig.only(WEB).id, 0);
  await rig.startAgent();
  await untilPhase(rig, "Succeeded");
});

for (const restartPolicy of ["OnFailure", "Never"]) {
  Deno.test(`Agent runs a ${restartPolicy} pod whose manifest came back while it ended, when the agent ended as well`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave(WEB, OBEYS);
    rig.fake.behave("slow", { onTerm: { code: 0, afterMs: 4_000 } });
    const containers = [busybox(WEB), busybox("slow")];
    const manifest = web({ uid: UID, spec: { restartPolicy, containers } });
    await rig.apply("web", manifest);
    await rig.until(() => rig.fake.running("slow").length === 1, "both");
    await rig.remove("web");
    await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
    await rig.apply("web", manifest);
    await rig.stopAgent();
    await rig.clock.advance(6_000);
    await rig.startAgent();
    await untilOneRuns(rig);
    await rig.until(() => rig.fake.running("slow").length === 1, "the other");
  });
}

Deno.test("Agent keeps an OnFailure pod whose edited container can neither be started nor be made again", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, OBEYS);
  rig.fake.addImage({ ref: "localhost/busybox:2" });
  const lifecycle = { postStart: { exec: { command: ["hook"] } } };
  await rig.apply("web", jobs("OnFailure", { lifecycle }));
  await untilOneRuns(rig);
  rig.fake.fault("StartContainer", refusal);
  const image = "localhost/busybox:2";
  await rig.apply("web", jobs("OnFailure", { lifecycle, image }));
  await rig.until(
    () => rig.fake.callsOf("StartContainer").length > 1,
    "an attempt",
  );
  // What was made and never ran is taken away, and all that is known is its past.
  rig.fake.fault("CreateContainer", refusal);
  await rig.pass(60_000);
  strictEqual(rig.status("web")?.phase, "Running");
  rig.fake.clearFaults();
  await untilOneRuns(rig);
});

Deno.test("Agent stops a container that the manifest of a fixed UID does not name any more", async () => {
  await using rig = await CoreRig.start();
  const named = (...names: readonly string[]) =>
    web({
      uid: UID,
      spec: { containers: names.map((name) => busybox(name)) },
    });
  await rig.apply("web", named("one", "two"));
  await rig.until(() => rig.fake.running("two").length === 1, "two");
  const { id } = rig.only("one");
  await rig.apply("web", named("three", "one"));
  await rig.until(
    () =>
      rig.fake.running("three").length === 1 &&
      rig.fake.running("two").length === 0,
    "three in the place of two",
  );
  strictEqual(rig.only("one").id, id);
  await rig.apply("web", named("one"));
  await rig.until(() => rig.fake.running("three").length === 0, "one alone");
  strictEqual(rig.only("one").id, id);
  strictEqual(rig.ready().length, 1);
});

Deno.test("Agent reruns init containers after power was lost between making and starting the app", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("setup", { exit: { code: 0, afterMs: 5_000 } });
  const spec = {
    initContainers: [busybox("setup")],
    containers: [busybox(WEB)],
  };
  rig.fake.fault("StartContainer", refusal, {
    when: (request) => {
      const text = JSON.stringify(request);
      const [id = ""] = [...rig.fake.containers.values()]
        .filter(({ name }) => name === WEB).map(({ id }) => id);
      return id !== "" && text.includes(id);
    },
  });
  await rig.apply("web", web({ uid: UID, spec }));
  await rig.until(
    () => [...rig.fake.containers.values()].some(({ name }) => name === WEB),
    "the app to be made",
  );
  await rig.stopAgent();
  rig.fake.clearFaults();
  rig.fake.killSandbox(rig.ready()[0]?.id ?? "");
  await rig.startAgent();
  await rig.until(() => rig.fake.running("setup").length === 1, "setup");
  await rig.pass(3_000);
  strictEqual(rig.fake.running(WEB).length, 0);
  await untilOneRuns(rig);
  strictEqual(rig.fake.running("setup").length, 0);
  strictEqual(rig.status("web")?.initContainerStatuses?.[0]?.ready, true);
});

Deno.test("Agent starts a Never container after power was lost between its making and its start", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("StartContainer", refusal);
  await rig.apply("web", jobs("Never"));
  await rig.until(
    () => rig.fake.callsOf("StartContainer").length > 0,
    "an attempt",
  );
  await rig.stopAgent();
  rig.fake.clearFaults();
  rig.fake.killSandbox(rig.ready()[0]?.id ?? "");
  await rig.startAgent();
  await untilOneRuns(rig);
});
