/**
 * What a whole agent shows its cluster of the pods of manifests.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_MIRROR } from "../../../mod/api/vocabulary/mod.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { IMAGE } from "../../support/pods.ts";
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

const NAME_RULE =
  "the one that runs keeps the name, and the other one waits until it is gone";

/** The events of a reason, each as the UID of its pod. */
const clashes = (rig: JoinedCore): readonly string[] =>
  rig.core.core.events.list()
    .filter(({ reason }) => reason === "NameClash")
    .map(({ pod: { uid } }) => uid);

Deno.test("of two pods of one name that of the manifest keeps it if it has it, and the cluster's runs when it is gone", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  await rig.apply("web", web());
  await untilShown(rig);
  const own = core.pod("web")?.metadata.uid ?? "";
  const [{ id = "" } = {}] = core.fake.running(WEB);
  // Somebody takes the mirror away and its name with it.
  rig.delete(MIRROR, 0);
  const foreign = rig.bind(MIRROR);
  await rig.until(() => clashes(rig).length === 2, "a clash that is told");
  deepStrictEqual(clashes(rig), [own, foreign]);
  ok(core.logged("pod_name_clash").some((line) => line.includes(NAME_RULE)));
  strictEqual(core.metric("skerry_pod_name_clashes"), 1);
  await rig.pass(5_000);
  deepStrictEqual(core.fake.running(WEB).map((each) => each.id), [id]);
  strictEqual(rig.shown(MIRROR)?.metadata.uid, foreign);
  strictEqual(rig.phase(MIRROR), "Pending");
  const said = core.views.report("default", "web")?.explanation.join() ?? "";
  ok(said.includes(`(UID ${own})`), said);
  // Also after a restart.
  await core.restartAgent();
  await rig.until(() => clashes(rig).length === 2, "a clash that is told");
  await rig.pass(5_000);
  deepStrictEqual(core.fake.running(WEB).map((each) => each.id), [id]);
  await rig.remove("web");
  await rig.until(() => rig.phase(MIRROR) === "Running", "the cluster's pod");
  strictEqual(core.metric("skerry_pod_name_clashes"), 0);
  strictEqual(core.logged("pod_name_clash_over").length, 1);
  strictEqual(core.fake.running(WEB).length, 1);
});

Deno.test("of two pods of one name the cluster's keeps it if it has it, and the manifest's runs and is shown when it is gone", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  const foreign = rig.bind(MIRROR);
  await rig.until(() => rig.phase(MIRROR) === "Running", "the cluster's pod");
  const [{ id = "" } = {}] = core.fake.running(WEB);
  await rig.apply("web", web());
  await rig.until(() => clashes(rig).length === 2, "a clash that is told");
  await rig.pass(5_000);
  deepStrictEqual(core.fake.running(WEB).map((each) => each.id), [id]);
  strictEqual(rig.phase(MIRROR), "Running");
  rig.delete(MIRROR, 5);
  await rig.until(
    () =>
      rig.shown(MIRROR)?.metadata.uid !== foreign &&
      rig.phase(MIRROR) === "Running",
    "a mirror",
  );
  strictEqual(core.fake.running(WEB).length, 1);
  strictEqual(core.metric("skerry_pod_name_clashes"), 0);
});

Deno.test("an API server that is away is seen at the device, and when it is back", async () => {
  await using rig = await JoinedCore.start();
  const { core, api } = rig;
  rig.bind("app");
  await rig.until(() => rig.phase("app") === "Running", "the cluster's pod");
  const source = () => core.views.sources().find(({ name }) => name === "api");
  const state = () => source()?.conditions.map(({ reason }) => reason).join();
  strictEqual(state(), "Answers,Allowed,Alone,Kept");
  strictEqual(source()?.location, api.server.url);
  strictEqual(source()?.pods, 1);
  strictEqual(source()?.ready, true);
  strictEqual(source()?.server?.reachable, true);
  strictEqual(core.metric("skerry_api_server_reachable"), 1);
  api.fail({ times: 1_000_000 }, { kind: "cut" });
  api.cutAll();
  await rig.until(() => source()?.server?.reachable === false, "a silence");
  ok(state()?.startsWith("Unreachable,"));
  strictEqual(core.metric("skerry_api_server_reachable"), 0);
  const explanation = core.views.report("default", "app")?.explanation ?? [];
  ok(
    explanation.some((each) => each.includes("the pod runs on")),
    explanation.join(),
  );
  ok(core.views.notes()[0]?.includes("has not answered since"));
  strictEqual(core.logged("api_server_away").length, 1);
  // Another agent without the server knows the pod all the same.
  await core.restartAgent();
  await rig.until(
    () => source()?.server?.silentSince !== undefined && source()?.pods === 1,
    "the pod of before",
  );
  strictEqual(source()?.server?.lastAnswerTime, undefined);
  strictEqual(source()?.ready, false);
  api.faults.clear();
  await rig.until(() => state() === "Answers,Allowed,Alone,Kept", "an answer");
  await rig.until(() => source()?.ready === true, "its word");
  strictEqual(core.fake.running(WEB).length, 1);
});

Deno.test("a right that the node lacks is seen at the device until it has it", async () => {
  await using rig = await JoinedCore.start({
    prepare: (api) =>
      api.fail({ path: /\/api\/v1\/pods\?/, method: "GET", times: 3 }, {
        kind: "refuse",
        code: 403,
        reason: "Forbidden",
      }),
  });
  const bad = () =>
    rig.core.views.sources().find(({ name }) => name === "api")?.conditions
      .filter(({ status }) => status === "False");
  await rig.until(() => bad()?.length === 1, "a refusal");
  const [{ reason, message } = { reason: "", message: "" }] = bad() ?? [];
  strictEqual(reason, "Forbidden");
  ok(message.includes("pods"), message);
  await rig.until(() => bad()?.length === 0, "the right");
});

const folder = (kind: "ConfigMap" | "Secret", word: string) => ({
  metadata: { name: "s" },
  data: { k: kind === "Secret" ? btoa(word) : word },
});

Deno.test("objects of the folder and of the cluster never mix, whatever their names", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  const mounting = {
    containers: [{
      name: WEB,
      image: IMAGE,
      env: [
        {
          name: "MAP",
          valueFrom: { configMapKeyRef: { name: "s", key: "k" } },
        },
        {
          name: "SECRET",
          valueFrom: { secretKeyRef: { name: "s", key: "k" } },
        },
      ],
    }],
  };
  const data = (word: string) => ({
    metadata: { name: "s" },
    data: { k: word },
  });
  const kinds = ["ConfigMap", "Secret"] as const;
  for (const kind of kinds) {
    await rig.apply(kind, {
      apiVersion: "v1",
      kind,
      ...folder(kind, "folder"),
    });
  }
  rig.make("configmaps", "ConfigMap", data("cluster"));
  rig.make("secrets", "Secret", data(btoa("cluster")));
  await rig.apply("web", web({ spec: mounting }));
  rig.bind("app", mounting);
  const words = (pod: string) =>
    core.fake.running(WEB).filter(({ sandboxId }) =>
      core.fake.sandboxes.get(sandboxId)?.config.metadata?.name === pod
    ).flatMap(({ config }) =>
      config.envs.filter(({ key }) => key === "MAP" || key === "SECRET")
        .map(({ value }) => new TextDecoder().decode(value))
    );
  await rig.until(() => core.fake.running(WEB).length === 2, "both pods");
  deepStrictEqual(words(MIRROR), ["folder", "folder"]);
  deepStrictEqual(words("app"), ["cluster", "cluster"]);
  // What only one of them has is not there for the other.
  await rig.apply("only", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "only" },
    data: { k: "folder" },
  });
  rig.bind("lacking", {
    containers: [{
      name: "lacking",
      image: IMAGE,
      env: [
        {
          name: "A",
          valueFrom: { configMapKeyRef: { name: "only", key: "k" } },
        },
      ],
    }],
  });
  const reasonOf = () =>
    core.pods().find(({ metadata }) => metadata.name === "lacking")
      ?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
  await rig.until(
    () => reasonOf() === "CreateContainerConfigError",
    "a pod that lacks it",
  );
  // Claims of the node are none of the cluster's.
  await rig.apply("claim", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Mi" } },
    },
  });
  const claiming = {
    containers: [{
      name: "claiming",
      image: IMAGE,
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    }],
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "disk" } }],
  };
  await rig.apply("mine", web({ name: "mine", spec: claiming }));
  rig.bind("claims", claiming);
  await rig.until(
    () => core.fake.running("claiming").length === 1,
    "the manifest's pod with its claim",
  );
  await rig.pass(5_000);
  strictEqual(core.fake.running("claiming").length, 1);
  strictEqual(rig.phase("claims"), "Pending");
});
