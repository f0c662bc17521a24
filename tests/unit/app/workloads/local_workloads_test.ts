/** What makes pods on a node: from its manifests to the agent, and back. */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { WorkloadsRig } from "../../../support/app/workloads_rig.ts";
import { POD_KIND, refOf, SET_KIND } from "../../../support/local/local_rig.ts";

const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };

function deployment(image: string, replicas = 1): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "${image}"}]}
`;
}

function statefulSet(image: string): string {
  return `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "${image}"}]}
`;
}

const NOTHING = '{"apiVersion": "v1", "kind": "List", "items": []}';

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: {name: pi, namespace: shop}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}
`;

function images(rig: WorkloadsRig): readonly string[] {
  const found = rig.local.templates().flatMap(({ spec }) =>
    spec.containers.map(({ image = "" }) => image)
  );
  return [...new Set(found)].sort();
}

Deno.test("the pods of a workload reach the agent, bound to its node", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1", 2));
  await rig.rest();
  deepStrictEqual(
    rig.wanted.map(({ metadata, spec }) =>
      `${metadata.namespace} ${metadata.labels?.["app"]} ${spec.nodeName}`
    ),
    ["shop web edge-1", "shop web edge-1"],
  );
});

Deno.test("whoever alters what controllers share fails, here and in every rig that freezes", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"));
  await rig.rest();
  const [template] = rig.local.templates();
  ok(template !== undefined);
  throws(() => Object.assign(template.spec, { nodeName: "x" }), TypeError);
});

Deno.test("the images of templates count to which a rollback goes back, of whatever kind", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(`${deployment("web:1")}---${statefulSet("db:1")}`);
  await rig.rest();
  deepStrictEqual(images(rig), ["db:1", "web:1"]);
  rig.apply(`${deployment("web:2")}---${statefulSet("db:2")}`);
  await rig.rest();
  deepStrictEqual(images(rig), ["db:1", "db:2", "web:1", "web:2"]);
});

Deno.test("a pod that was deleted is gone when the agent knows that, and has nothing of it", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"));
  await rig.rest();
  const [pod] = rig.wanted;
  const uid = pod?.metadata.uid ?? "";
  rig.held.add(uid);
  rig.apply(NOTHING);
  await rig.rest(60);
  deepStrictEqual((await rig.all(POD_KIND)).length, 1);
  deepStrictEqual(rig.wanted.length, 1);
  rig.held.clear();
  // Long after anything moved, this is what is heard.
  rig.sessions.delete(uid);
  await rig.clock.advance(0);
  deepStrictEqual(await rig.all(POD_KIND), []);
  await rig.rest();
  deepStrictEqual(rig.wanted, []);
});

Deno.test("a pod that the agent does not know yet is not gone", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"));
  await rig.rest();
  rig.isDeaf = true;
  rig.apply(NOTHING);
  await rig.rest();
  strictEqual((await rig.all(POD_KIND)).length, 1);
});

Deno.test("a status that outlived the last agent is in the store before a controller looks", async () => {
  const first = new WorkloadsRig();
  let uid = "";
  {
    await using rig = await first.start();
    rig.apply(JOB);
    await rig.rest();
    uid = rig.wanted[0]?.metadata.uid ?? "";
  }
  first.disk.restart();
  await using rig = new WorkloadsRig(first.disk, 2);
  rig.statuses.set(uid, { phase: "Succeeded" });
  rig.apply(JOB);
  await rig.start();
  const [job] = await rig.all(JOB_KIND);
  strictEqual(JSON.stringify(job).includes('"succeeded":1'), true);
  deepStrictEqual((await rig.all(POD_KIND)).map((pod) => pod.metadata.uid), [
    uid,
  ]);
});

Deno.test("controllers wait until the agent has looked at the pods of the last one", async () => {
  const first = new WorkloadsRig();
  {
    await using rig = await first.start();
    rig.apply(deployment("web:1"));
    await rig.rest();
  }
  await using rig = new WorkloadsRig(first.disk, 2);
  rig.isListed = false;
  rig.apply(deployment("web:2"));
  await rig.start();
  await rig.rest(60);
  strictEqual((await rig.all(SET_KIND)).length, 1);
  rig.report(rig.wanted[0], { phase: "Running" });
  await rig.rest();
  strictEqual((await rig.all(SET_KIND)).length, 2);
});

Deno.test("a pod whose status nobody knows holds up controllers for 30 seconds after the runtime has answered", async () => {
  const first = new WorkloadsRig();
  {
    await using rig = await first.start();
    rig.apply(deployment("web:1"));
    await rig.rest();
  }
  await using rig = new WorkloadsRig(first.disk, 2);
  rig.apply(deployment("web:2"));
  await rig.start();
  strictEqual((await rig.all(SET_KIND)).length, 1);
  await rig.rest(30);
  strictEqual((await rig.all(SET_KIND)).length, 2);
});

Deno.test("what a source says of workloads is told when the store does not take it, each thing once", async () => {
  await using rig = await new WorkloadsRig().start();
  const set = (app: string, image = "web:1") =>
    deployment(image).replaceAll("app: web", `app: ${app}`);
  rig.apply(set("web"));
  await rig.rest();
  rig.told.length = 0;
  rig.apply(set("other"));
  rig.apply(set("other"));
  deepStrictEqual(
    rig.told,
    [
      'Warning FailedValidation Deployment/web: Deployment "shop/web" is invalid: ' +
      "spec.selector.matchLabels[app]: Forbidden: cannot change in a Deployment that " +
      "exists; give it another name, or remove it first",
    ].map((line) => line.replace("matchLabels.app", "matchLabels[app]")),
  );
  rig.apply(set("web"));
  rig.apply(set("other"));
  strictEqual(rig.told.length, 2);
  const refused = rig.lines.filter((line) => line.includes("workload_refused"));
  strictEqual(refused.length, 2);
  strictEqual(refused[0]?.includes('"object":"Deployment shop/web"'), true);
  strictEqual(refused[0]?.includes('"source":"file"'), true);
});

Deno.test("the store shows the objects beside workloads, of all sources", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  rig.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n", {
    source: "http",
  });
  const maps = await rig.all({ apiVersion: "v1", kind: "ConfigMap" });
  deepStrictEqual(maps.map(({ metadata: { name } }) => name), ["a", "b"]);
});

Deno.test("what the controllers' own source says is no manifest", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"), { source: "local" });
  await rig.rest();
  deepStrictEqual(rig.wanted, []);
});

Deno.test("a set that is only a part removes nothing", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"));
  await rig.rest();
  rig.apply(NOTHING, { heard: "part" });
  await rig.rest();
  strictEqual(rig.wanted[0]?.metadata.deletionTimestamp, undefined);
});

Deno.test("they end with the agent, and with the failure of one of them", async () => {
  const rig = new WorkloadsRig();
  {
    await using running = await rig.start();
    running.apply(deployment("web:1"));
    await running.rest();
  }
  deepStrictEqual(rig.failures, []);
  await using broken = await new WorkloadsRig().start();
  broken.apply(deployment("web:1"));
  await broken.rest();
  broken.held.has = () => {
    throw new Error("The agent is broken");
  };
  broken.apply(NOTHING);
  await broken.rest();
  deepStrictEqual(broken.failures.map(String), ["Error: The agent is broken"]);
});

Deno.test("the agent's word of a pod is in the store", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(deployment("web:1"));
  await rig.rest();
  const [pod] = rig.wanted;
  rig.report(pod, { phase: "Running" });
  await rig.clock.advance(0);
  const name = pod?.metadata.name ?? "";
  const ref = refOf(POD_KIND, name);
  const held = await rig.local.store.get(ref, rig.signal);
  strictEqual(JSON.stringify(held).includes('"phase":"Running"'), true);
});
