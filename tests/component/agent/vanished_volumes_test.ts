/**
 * Volumes that vanish while a pod runs: only what needs them waits.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, web } from "../../support/agent/manifests.ts";
import { Answers, ask } from "../../support/agent/probes.ts";
import { untilRunning } from "../../support/agent/phases.ts";

/** A pod whose container "user" mounts a directory of the node, and "other" does not. */
function manifest(
  path: string,
  other: Record<string, unknown> = {},
  user: Record<string, unknown> = {},
): Record<string, unknown> {
  const volumes = [{ name: "data", hostPath: { path, type: "Directory" } }];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const containers = [
    busybox("user", { volumeMounts, ...user }),
    busybox("other", other),
  ];
  return web({ spec: { volumes, containers } });
}

/** An agent, and a directory of the node that pods mount. */
class Node implements AsyncDisposable {
  readonly rig: CoreRig;
  /** The directory; it is not there until it is made. */
  readonly path: string;
  readonly #root: string;

  private constructor(rig: CoreRig, root: string) {
    this.rig = rig;
    this.path = `${root}/data`;
    this.#root = root;
  }

  static async start(): Promise<Node> {
    const root = await Deno.makeTempDir({ prefix: "skerry-host-" });
    const flags = [`--host-path-roots=${root}`];
    return new Node(await CoreRig.start({ flags }), root);
  }

  /** With a running pod of {@linkcode manifest}. */
  static async withRunning(
    other: Record<string, unknown> = {},
    user: Record<string, unknown> = {},
  ): Promise<Node> {
    const node = await Node.start();
    const { rig, path } = node;
    await Deno.mkdir(path);
    await rig.apply("web", manifest(path, other, user));
    await untilRunning(rig);
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await Deno.remove(this.#root, { recursive: true });
  }
}

function waitingOf(rig: CoreRig, name: string) {
  return rig.status("web")?.containerStatuses
    ?.find((status) => status.name === name)?.state?.waiting;
}

Deno.test("Agent restarts a container that needs no volume though another's hostPath is gone", async () => {
  await using node = await Node.withRunning();
  const { rig, path } = node;
  await Deno.remove(path);
  for (let round = 1; round <= 2; round++) {
    rig.fake.exitContainer(rig.only("other").id, 1);
    await rig.until(
      () => rig.fake.running("other").length === 1,
      `restart ${round}`,
      { limitMs: 30_000 },
    );
  }
  strictEqual(rig.fake.running("user").length, 1);
  ok(!rig.events("web").includes("Warning FailedMount"));
});

Deno.test("Agent stops a container that fails its liveness probe though another's hostPath is gone", async () => {
  const livenessProbe = ask("live", { failureThreshold: 1 });
  await using node = await Node.withRunning({ livenessProbe });
  const { rig, path } = node;
  const answers = new Answers(rig);
  await Deno.remove(path);
  const { id } = rig.only("other");
  answers.set("live", "no", "other");
  await rig.until(
    () => !rig.fake.running("other").some((each) => each.id === id),
    "its end",
    { limitMs: 30_000 },
  );
  answers.set("live", "yes", "other");
  await rig.until(() => rig.fake.running("other").length === 1, "its return");
});

Deno.test("Agent lets only the container wait that mounts a hostPath that is gone, and says so", async () => {
  await using node = await Node.withRunning();
  const { rig, path } = node;
  await Deno.remove(path);
  rig.fake.exitContainer(rig.only("user").id, 1);
  rig.fake.exitContainer(rig.only("other").id, 1);
  await rig.until(() => rig.fake.running("other").length === 1, "the other");
  await rig.until(
    () => waitingOf(rig, "user")?.reason === "FailedMount",
    "its reason",
  );
  match(waitingOf(rig, "user")?.message ?? "", /volume "data".*directory/);
  strictEqual(waitingOf(rig, "other"), undefined);
  ok(rig.events("web").includes("Warning FailedMount"));
  await rig.pass(60_000);
  strictEqual(rig.fake.running("user").length, 0);
  await Deno.mkdir(path);
  await rig.until(() => rig.fake.running("user").length === 1, "its return", {
    limitMs: 30_000,
  });
});

Deno.test("Agent does not stop a container that it could not start again without its volume", async () => {
  const livenessProbe = ask("live", { failureThreshold: 1 });
  await using node = await Node.withRunning({}, { livenessProbe });
  const { rig, path } = node;
  const answers = new Answers(rig);
  await Deno.remove(path);
  answers.set("live", "no", "user");
  await rig.until(
    () => rig.events("web").includes("Warning FailedMount"),
    "the event",
    { limitMs: 30_000 },
  );
  strictEqual(rig.fake.running("user").length, 1);
});

Deno.test("Agent brings what needs no lost volume back into a new sandbox", async () => {
  await using node = await Node.withRunning();
  const { rig, path } = node;
  await Deno.remove(path);
  rig.fake.killSandbox(rig.ready()[0]?.id ?? "");
  await rig.until(
    () =>
      rig.fake.callsOf("RunPodSandbox").length === 2 &&
      rig.fake.running("other").some(({ sandboxId }) =>
        sandboxId === rig.ready()[0]?.id
      ),
    "the other",
    { limitMs: 60_000 },
  );
  strictEqual(rig.fake.running("user").length, 0);
});

Deno.test("Agent begins no pod by halves: the first start waits for all volumes", async () => {
  await using node = await Node.start();
  const { rig, path } = node;
  await rig.apply("web", manifest(path));
  await rig.until(
    () => rig.events("web").includes("Warning FailedMount"),
    "the event",
  );
  await rig.pass(30_000);
  strictEqual(rig.fake.sandboxes.size, 0);
  await Deno.mkdir(path);
  await untilRunning(rig);
});
