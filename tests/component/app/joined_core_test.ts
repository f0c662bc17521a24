/**
 * What a whole agent shows its cluster of the pods of manifests.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_MIRROR } from "../../../mod/api/vocabulary/mod.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { JoinedCore } from "../../support/cluster/joined_core.ts";

const MIRROR = "web-edge1";

/** Until the mirror of the manifest `web` shows that it runs. */
async function untilShown(rig: JoinedCore): Promise<string> {
  await rig.until(() => rig.phase(MIRROR) === "Running", "a mirror that runs");
  return rig.shown(MIRROR)?.metadata.uid ?? "";
}

/** A pod whose container needs time to end. */
const slow = (rest: Parameters<typeof web>[0] = {}) =>
  web({ ...rest, spec: { terminationGracePeriodSeconds: 20, ...rest.spec } });

Deno.test("the mirror of a removed manifest stays while its pod ends, and shows how it ended (ST-10)", async () => {
  await using rig = await JoinedCore.start();
  const { core, api } = rig;
  core.fake.behave(WEB, { onTerm: "ignore" });
  await rig.apply("web", slow());
  const uid = await untilShown(rig);
  await rig.remove("web");
  await rig.until(
    () => core.pod("web")?.metadata.deletionTimestamp !== undefined,
    "a pod that ends",
  );
  await rig.pass(15_000);
  strictEqual(core.fake.running(WEB).length, 1);
  strictEqual(rig.shown(MIRROR)?.metadata.uid, uid);
  await rig.until(() => rig.shown(MIRROR) === undefined, "no mirror");
  strictEqual(core.fake.running(WEB).length, 0);
  const calls = api.lines.filter((line) => line.includes(`pods/${MIRROR}`));
  strictEqual(calls.at(-1), `DELETE /api/v1/namespaces/default/pods/${MIRROR}`);
  // Its last status came before.
  const last = api.requests.findLast(({ method, path }) =>
    method === "PATCH" && path.includes(`pods/${MIRROR}/status`)
  );
  ok(JSON.stringify(last?.body).includes('"exitCode":137'));
});

Deno.test("a manifest that returns while its pod ends keeps its mirror, an edited one gets another after that (ST-10)", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  core.fake.behave(WEB, { onTerm: "ignore" });
  await rig.apply("web", slow());
  const uid = await untilShown(rig);
  const [{ id = "" } = {}] = core.fake.running(WEB);
  await rig.remove("web");
  const isEnding = () =>
    core.pods().some(({ metadata }) =>
      metadata.deletionTimestamp !== undefined
    );
  await rig.until(isEnding, "a pod that ends");
  await rig.apply("web", slow());
  await rig.until(
    () => core.fake.running(WEB).some((each) => each.id !== id),
    "the same pod again",
  );
  await rig.pass(5_000);
  strictEqual(await untilShown(rig), uid);
  // And now another one.
  await rig.apply("web", slow({ labels: { v: "2" } }));
  await rig.until(isEnding, "a pod that ends");
  await rig.pass(10_000);
  strictEqual(rig.shown(MIRROR)?.metadata.uid, uid);
  strictEqual(rig.phase(MIRROR), "Running");
  await rig.until(
    () =>
      rig.shown(MIRROR)?.metadata.uid !== uid &&
      rig.phase(MIRROR) === "Running",
    "another mirror that runs",
  );
  strictEqual(core.fake.running(WEB).length, 1);
});

Deno.test("an agent that starts while a pod ends leaves its mirror until then; a stray one goes (ST-10)", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  core.fake.behave(WEB, { onTerm: "ignore" });
  await rig.apply("web", slow({ spec: { terminationGracePeriodSeconds: 60 } }));
  const uid = await untilShown(rig);
  await rig.remove("web");
  await rig.until(
    () =>
      core.pods().some(({ metadata }) =>
        metadata.deletionTimestamp !== undefined
      ),
    "a pod that ends",
  );
  await core.stopAgent();
  rig.make("pods", "Pod", {
    metadata: {
      name: "stray-edge1",
      annotations: { [ANNOTATION_CONFIG_MIRROR]: "another" },
    },
    spec: { nodeName: "edge1", containers: [{ name: "c", image: "a" }] },
  });
  await core.startAgent();
  await rig.until(() => rig.shown("stray-edge1") === undefined, "no stray");
  strictEqual(core.fake.running(WEB).length, 1);
  strictEqual(rig.shown(MIRROR)?.metadata.uid, uid);
  await rig.until(() => rig.shown(MIRROR) === undefined, "no mirror");
  strictEqual(core.fake.running(WEB).length, 0);
});
