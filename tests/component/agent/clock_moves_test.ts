/**
 * Pods that come, change and go while the wall clock is set (CL-02, CL-05, N05): a stop
 * under way, an update on trial, manifests of files and of a URL.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { ManifestServer, text } from "../../support/peers/manifest_server.ts";
import {
  checkSame,
  type Jump,
  type JumpOutcome,
  JUMPS,
  once,
  play,
  type Stage,
} from "../../support/agent/clock_jumps.ts";
import { alone } from "../../support/agent/manifests.ts";
import {
  runningVersion,
  untilRuns,
  version,
} from "../../support/agent/versions.ts";

function list(...items: readonly unknown[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
}

async function begin({ rig }: Stage): Promise<void> {
  rig.fake.behave("stubborn", { onTerm: "ignore" });
  const spec = { terminationGracePeriodSeconds: 30 };
  await rig.apply("stubborn", alone("stubborn", {}, { spec }));
  await rig.apply("edited", alone("edited"));
  await rig.apply("gone", alone("gone"));
  await rig.apply("web", version("one"));
  await untilRuns(rig, "one");
  await rig.until(() => rig.fake.running("far").length === 1, "the URL's pod");
  await rig.pass(5_000);
  await rig.apply("web", version("two", { isBad: true }));
  await untilRuns(rig, "two");
  await rig.pass(5_000);
  await rig.remove("stubborn");
  await rig.pass(5_000);
}

function look(stage: Stage, server: ManifestServer): void {
  const { rig } = stage;
  const names = ["stubborn", "edited", "gone", "new", "far", "further"];
  for (const name of names) {
    stage.noteStarts(name);
    const isGone = stage.trace.has(`${name} started`) &&
      rig.pod(name) === undefined;
    if (isGone) stage.note(`${name} gone`, 1);
  }
  const label = runningVersion(rig);
  if (label !== undefined) stage.note(`version ${label}`, 1);
  if (label === "one" && stage.trace.has("version two")) {
    stage.note("rolled back", 1);
  }
  stage.note("polls", server.requests.length);
}

/** What is done after the jump, by the second in which it is done. */
async function act(
  { rig }: Stage,
  sinceMs: number,
  server: ManifestServer,
): Promise<void> {
  switch (sinceMs) {
    case 5_000:
      return await rig.apply("new", alone("new"));
    case 10_000:
      return await rig.apply(
        "edited",
        alone("edited", {}, { spec: { priority: 1 } }),
      );
    case 15_000:
      return await rig.remove("gone");
    case 20_000:
      server.answer = text(list(alone("far"), alone("further")));
  }
}

async function moves(jump?: Jump): Promise<JumpOutcome> {
  await using server = await ManifestServer.start(text(list(alone("far"))));
  const flags = [
    `--manifest-url=http://localhost:${server.port}/m`,
    "--http-check-frequency=5s",
  ];
  return await play({
    options: { flags },
    begin,
    look: (stage) => look(stage, server),
    act: (stage, sinceMs) => act(stage, sinceMs, server),
  }, jump);
}

const untouched = once(() => moves());

Deno.test("CL-02 Agent ends, changes and begins pods on a clock that nobody touches", async () => {
  const { trace } = await untouched();
  // Else the others would be compared with nothing.
  for (
    const what of [
      ...["stubborn gone", "new started", "gone gone", "rolled back"],
      "further started",
    ]
  ) ok(trace.has(what), `${what} in ${[...trace.keys()]}`);
  strictEqual(trace.get("far started")?.length, 1);
  strictEqual(trace.get("edited started")?.length, 2);
  ok((trace.get("polls")?.length ?? 0) >= 15);
});

for (const jump of JUMPS) {
  Deno.test(`CL-02 CL-05 Agent ends, changes and begins pods as it would have when the clock jumps ${jump.name}`, async () => {
    checkSame(await moves(jump), await untouched());
  });
}
