/**
 * `get` of what the node keeps, against a control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import type { ControlServer } from "../../../mod/server/mod.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";
import { LocalRig, plainWish } from "../../support/local/local_rig.ts";
import { pod } from "../../support/pods.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { service } from "../../support/services.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" };
const SET = { apiVersion: "apps/v1", kind: "ReplicaSet" };

/** An agent with some objects, and its command line. */
class Rig implements AsyncDisposable {
  readonly local = new LocalRig();
  readonly agent = new AgentStub();
  readonly path: string;
  readonly #dir: TempDir;
  #server: ControlServer | undefined;

  private constructor(dir: TempDir) {
    this.#dir = dir;
    this.path = `${dir.path}/s.sock`;
    this.agent.objects = this.local.store;
  }

  static async start(): Promise<Rig> {
    const rig = new Rig(await TempDir.make());
    await rig.serve();
    const labels = { app: "web" };
    await rig.local.create(plainWish(DEPLOYMENT, "web", { labels }));
    await rig.local.create(plainWish(DEPLOYMENT, "db"));
    await rig.local.create(plainWish(SET, "web-1", { labels }));
    rig.agent.pods = [stubPod("web-n1", "shop"), stubPod("db-n1", "shop")];
    return rig;
  }

  async serve(): Promise<void> {
    this.#server = await this.agent.serve(this.path);
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  run(line: string, io?: TestIo) {
    return run(`${line} --control-socket=${this.path}`, io);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#dir[Symbol.asyncDispose]();
  }
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.replace(/ {3,}/g, "|"));
}

for (
  const [line, wanted] of [
    ["get deploy -n shop", [
      "NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
      "db|0/1|0|0|0s",
      "web|0/1|0|0|0s",
      "",
    ]],
    ["get deployments web -n shop", [
      "NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
      "web|0/1|0|0|0s",
      "",
    ]],
    ["get deploy/db deploy/web -n shop", [
      "NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
      "db|0/1|0|0|0s",
      "web|0/1|0|0|0s",
      "",
    ]],
    ["get deploy -A -l app=web", [
      "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
      "shop|web|0/1|0|0|0s",
      "",
    ]],
    ["get deploy,rs -n shop --field-selector=metadata.name!=db", [
      "NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
      "deployment.apps/web|0/1|0|0|0s",
      "",
      "NAME|DESIRED|CURRENT|READY|AGE",
      "replicaset.apps/web-1|1|0|0|0s",
      "",
    ]],
    ["get all -n shop -o name", [
      "pod/db-n1",
      "pod/web-n1",
      "deployment.apps/db",
      "deployment.apps/web",
      "replicaset.apps/web-1",
      "",
    ]],
    ["get pods,rs -n shop", [
      "NAME|READY|STATUS|RESTARTS|AGE",
      "pod/db-n1|0/1|Running|0|<unknown>",
      "pod/web-n1|0/1|Running|0|<unknown>",
      "",
      "NAME|DESIRED|CURRENT|READY|AGE",
      "replicaset.apps/web-1|1|0|0|0s",
      "",
    ]],
    ["get pods web db -n shop", [
      "NAME|READY|STATUS|RESTARTS|AGE",
      "web-n1|0/1|Running|0|<unknown>",
      "db-n1|0/1|Running|0|<unknown>",
      "",
    ]],
    ["get po -n shop --field-selector=metadata.name=db-n1 -o name", [
      "pod/db-n1",
      "",
    ]],
    ["get deploy -n shop -o jsonpath={.items[*].metadata.name}", ["db web"]],
    ["get deploy web -n shop -o jsonpath={.metadata.labels}", [
      '{"app":"web"}',
    ]],
    ["get deploy,rs -n shop -o jsonpath={range.items[*]}{.kind}{'\\n'}{end}", [
      "Deployment",
      "Deployment",
      "ReplicaSet",
      "",
    ]],
    ["get po -n shop -o custom-columns=WHO:.metadata.name,UID:metadata.uid", [
      "WHO|UID",
      "db-n1|uid-shop-db-n1",
      "web-n1|uid-shop-web-n1",
      "",
    ]],
  ] as const
) {
  Deno.test(`main() carries out "${line}"`, async () => {
    await using rig = await Rig.start();
    const { code, output, errors } = await rig.run(line);
    strictEqual(errors, "");
    strictEqual(code, 0);
    deepStrictEqual(lines(output), wanted);
  });
}

Deno.test("main() gives one object as it is, and several as a List", async () => {
  await using rig = await Rig.start();
  const one = await rig.run("get deploy web -n shop -o json");
  strictEqual(JSON.parse(one.output).metadata.name, "web");
  const all = JSON.parse((await rig.run("get deploy,rs -A -o json")).output);
  deepStrictEqual(
    [all.apiVersion, all.kind, all.metadata, all.items.length],
    ["v1", "List", { resourceVersion: "" }, 3],
  );
  const none = await rig.run("get jobs -o yaml");
  strictEqual(
    none.output,
    "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ''\n",
  );
});

Deno.test("main() says that there are no objects", async () => {
  await using rig = await Rig.start();
  deepStrictEqual(await rig.run("get jobs,sts"), {
    code: 0,
    output: "",
    errors: "No resources found in default namespace.\n",
  });
  deepStrictEqual((await rig.run("get cj -A")).errors, "No resources found\n");
});

Deno.test("main() writes what is there and names what is not", async () => {
  await using rig = await Rig.start();
  const { code, output, errors } = await rig.run(
    "get deploy gone web -n shop -o name",
  );
  strictEqual(code, 1);
  strictEqual(output, "deployment.apps/web\n");
  strictEqual(errors, 'skerry: deployments.apps "gone" not found\n');
  const { store } = rig.local;
  rig.agent.objects = {
    get: (ref, signal) => store.get(ref, signal),
    reader: (ref) => {
      if (ref.kind !== "Job") return store.reader(ref);
      throw new ApiFailure("NotFound", "This node keeps no Job objects");
    },
  };
  const kind = await rig.run("get jobs");
  strictEqual(kind.code, 1);
  match(kind.errors, /This node keeps no Job objects/);
  strictEqual((await rig.run("get jobs,deploy -A")).code, 0);
  const field = await rig.run("get deploy --field-selector=spec.x=1");
  strictEqual(field.code, 1);
  match(field.errors, /Cannot select by "spec\.x"/);
  const pods = await rig.run("get pods,rs gone -n shop");
  match(pods.errors, /Cannot find pod "gone"/);
});

Deno.test("main() goes on with what changes, also over a restart of the agent", async () => {
  await using rig = await Rig.start();
  const io = new TestIo();
  const done = rig.run("get deploy -n shop -w -o name", io);
  const seen = (count: number) =>
    until(async () => {
      await io.clock.advance(1000);
      return io.output.split("\n").length > count;
    });
  await seen(2);
  await rig.local.create(plainWish(DEPLOYMENT, "new"));
  await seen(3);
  await rig.stop();
  const ref = { ...DEPLOYMENT, namespace: "shop", name: "db" };
  await rig.local.store.delete(ref, {}, rig.local.signal);
  await rig.local.create(plainWish(DEPLOYMENT, "late"));
  await rig.serve();
  await seen(5);
  io.stopping.abort();
  const { code } = await done;
  strictEqual(code, 0);
  deepStrictEqual(
    lines(io.output),
    ["db", "web", "new", "late", "db"].map((each) => `deployment.apps/${each}`)
      .concat(""),
  );
});

Deno.test("main() watches one object, as a table that grows and as lines of JSON", async () => {
  await using rig = await Rig.start();
  for (
    const [output, first] of [["", "NAME "], ["-o json", "{"]] as const
  ) {
    const io = new TestIo();
    const done = rig.run(`get deploy/web -n shop -w ${output}`.trim(), io);
    await until(() => io.output.includes("web"));
    ok(io.output.startsWith(first), io.output);
    ok(!io.output.includes("db"));
    io.stopping.abort();
    strictEqual((await done).code, 0);
  }
});

Deno.test("main() describes objects with what happened to them, and names what is not there", async () => {
  await using rig = await Rig.start();
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: "e",
      namespace: "shop",
      resourceVersion: "1",
      uid: "",
      creationTimestamp: "2026-01-01T23:55:00Z",
    },
    eventTime: null,
    involvedObject: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      namespace: "shop",
      name: "web",
    },
    type: "Normal",
    reason: "ScalingReplicaSet",
    message: "Scaled up",
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    source: { component: "c", host: "n1" },
    reportingComponent: "c",
    reportingInstance: "n1",
  } as const;
  rig.agent.events = {
    list: () => ({ resourceVersion: "1", items: [event] }),
    async *watch() {},
  };
  const { code, output, errors } = await rig.run(
    "describe deploy web gone db -n shop",
  );
  strictEqual(code, 1);
  strictEqual(errors, 'skerry: deployments.apps "gone" not found\n');
  const [web = "", db = "", ...more] = output.split("\n\n");
  deepStrictEqual(more, []);
  match(web, /^Name: +web\n/);
  match(web, /Scaled up/);
  match(db, /^Name: +db\n/);
  match(db, /Events: +<none>/);
  const all = await rig.run("describe rs -n shop");
  match(all.output, /^Name: +web-1\n/);
  const none = await rig.run("describe jobs -n shop");
  strictEqual(none.errors, "No resources found in shop namespace.\n");
});

Deno.test("main() describes objects with the pods and sets that belong to them", async () => {
  await using rig = await Rig.start();
  const { store, signal } = rig.local;
  const ref = { ...SET, namespace: "shop", name: "web-1" };
  const { uid } = (await store.get(ref, signal)).metadata;
  const owner = { ...SET, name: "web-1", uid, controller: true };
  const own = pod({
    name: "web-1-a",
    labels: { app: "web" },
    metadata: { ownerReferences: [owner] },
    status: { phase: "Running" },
  });
  rig.agent.pods = [own, stubPod("web", "other")];
  store.showObjects([service()]);
  const set = await rig.run("describe rs web-1 -n shop");
  match(set.output, /Pods Status: +1 Running \/ 0 Waiting/);
  const web = await rig.run("describe svc -n shop");
  const [sentence] = (await rig.run("explain svc/web -n shop")).output
    .split("\n");
  match(sentence ?? "", /^It leads nowhere: none of the pods .*: web-1-a$/);
  ok(web.output.includes(sentence ?? "-"), web.output);
  match(web.output, /^Endpoints: +<none>$/m);
  const gone = await rig.run("explain svc/gone -n shop");
  strictEqual(gone.code, 1);
  strictEqual(gone.errors, 'skerry: services "gone" not found\n');
  // A Deployment with its sets, of which this one is none.
  const deployment = await store.get(
    { ...DEPLOYMENT, namespace: "shop", name: "web" },
    signal,
  );
  await rig.local.create(plainWish(SET, "web-2", {
    ownerReferences: [{
      ...DEPLOYMENT,
      name: "web",
      uid: deployment.metadata.uid,
      controller: true,
    }],
  }));
  const described = await rig.run("describe deploy web -n shop");
  match(
    described.output,
    /^NewReplicaSet: +web-2 \(0\/1 replicas created\)$/m,
  );
});
