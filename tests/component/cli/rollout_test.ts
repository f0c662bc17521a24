/**
 * `rollout` against a control server on a real socket, and a folder of manifests.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../mod/api/access/mod.ts";
import { decodeManifest } from "../../../mod/api/read/mod.ts";
import type { ApiObject, Deployment } from "../../../mod/api/workload/mod.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";
import { LocalRig } from "../../support/local/local_rig.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" };
const SET = { apiVersion: "apps/v1", kind: "ReplicaSet" };
const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: a
        image: nginx:3 # newest
`;

/** What an agent reads in the manifest. */
function specOf(text: string): Deployment["spec"] {
  const bytes = new TextEncoder().encode(text);
  const decoded = decodeManifest(bytes, { unknownFields: "refuse" });
  const [workload] = decoded.kind === "ok" ? decoded.workloads : [];
  ok(workload?.kind === "Deployment");
  return workload.spec;
}

function templateOf(
  number: number,
  more: Readonly<Record<string, string>> = {},
) {
  const { template } = specOf(MANIFEST.replace("nginx:3", `nginx:${number}`));
  const labels = { ...template.metadata?.labels, ...more };
  return { ...template, metadata: { labels } };
}

/** An agent with a Deployment of three revisions, and its folder. */
class Rig implements AsyncDisposable {
  readonly local = new LocalRig();
  readonly #stack = new AsyncDisposableStack();
  path = "";
  deployment: ApiObject | undefined;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    rig.path = rig.#stack.use(await TempDir.make()).path;
    const agent = new AgentStub();
    agent.objects = rig.local.store;
    rig.#stack.use(await agent.serve(`${rig.path}/s.sock`));
    await Deno.mkdir(`${rig.path}/m`);
    await Deno.writeTextFile(`${rig.path}/m/web.yaml`, MANIFEST);
    const metadata = { namespace: "default" };
    rig.deployment = await rig.local.create({
      ...DEPLOYMENT,
      metadata: { ...metadata, name: "web" },
      spec: specOf(MANIFEST),
    });
    for (const number of [1, 2, 3]) await rig.local.create(rig.#set(number));
    return rig;
  }

  async patch(spec: Readonly<Record<string, unknown>>): Promise<void> {
    const ref = { ...DEPLOYMENT, namespace: "default", name: "web" };
    const { store, signal } = this.local;
    await store.patch(ref, { spec }, signal);
  }

  #set(number: number): NewObject {
    const { uid = "" } = this.deployment?.metadata ?? {};
    const owner = { ...DEPLOYMENT, name: "web", uid, controller: true };
    const hash = { "pod-template-hash": `h${number}` };
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        namespace: "default",
        name: `web-h${number}`,
        annotations: { "deployment.kubernetes.io/revision": `${number}` },
        ownerReferences: [owner],
      },
      spec: { template: templateOf(number, hash) },
    };
  }

  async status(status: Readonly<Record<string, unknown>>): Promise<void> {
    const ref = { ...DEPLOYMENT, namespace: "default", name: "web" };
    const { store, signal } = this.local;
    const old = await store.get(ref, signal);
    const told = { ...old, status: { observedGeneration: 1, ...status } };
    await store.updateStatus(told, signal);
  }

  /** Of the status without a folder, unless told otherwise: its manifest is another. */
  run(
    line: string,
    io?: TestIo,
    folder: string = line.startsWith("status") ? "none" : "m",
  ) {
    const { path } = this;
    const at =
      `--control-socket=${path}/s.sock --pod-manifest-path=${path}/${folder}`;
    return run(`rollout ${line} ${at}`, io);
  }

  /** Has the agent take what the manifest says now. */
  async take(): Promise<void> {
    await this.patch({ ...specOf(await this.manifest()) });
  }

  async write(text: string): Promise<void> {
    await Deno.writeTextFile(`${this.path}/m/web.yaml`, text);
  }

  manifest(): Promise<string> {
    return Deno.readTextFile(`${this.path}/m/web.yaml`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const BEGIN = 'Waiting for deployment "web" rollout to finish:';

Deno.test("main() waits for a rollout in kubectl's words, each said once", async () => {
  await using rig = await Rig.start();
  const io = new TestIo();
  const done = rig.run("status deploy web", io);
  const lines = (count: number) =>
    until(() => io.output.split("\n").length > count);
  await lines(1);
  await rig.status({ updatedReplicas: 1, replicas: 2 });
  await lines(2);
  await rig.status({ updatedReplicas: 1, replicas: 3 });
  await rig.status({ updatedReplicas: 2, replicas: 2, availableReplicas: 1 });
  await lines(3);
  await rig.status({ updatedReplicas: 2, replicas: 2, availableReplicas: 2 });
  const { code, errors } = await done;
  strictEqual(errors, "");
  strictEqual(code, 0);
  deepStrictEqual(io.output.split("\n"), [
    "Waiting for deployment spec update to be observed...",
    `${BEGIN} 1 out of 2 new replicas have been updated...`,
    `${BEGIN} 1 of 2 updated replicas are available...`,
    'deployment "web" successfully rolled out',
    "",
  ]);
});

Deno.test("main() says once how far a rollout is", async () => {
  await using rig = await Rig.start();
  await rig.status({ updatedReplicas: 1 });
  const { code, output } = await rig.run("status deploy/web --watch=false");
  strictEqual(code, 0);
  strictEqual(
    output,
    `${BEGIN} 1 out of 2 new replicas have been updated...\n`,
  );
});

Deno.test("main() fails with a rollout that fails, goes, or takes too long", async () => {
  await using rig = await Rig.start();
  const io = new TestIo();
  const late = rig.run("status deploy web --timeout=30s", io);
  await until(() => io.output !== "");
  await io.clock.advance(30_000);
  deepStrictEqual(
    [(await late).code, (await late).errors],
    [1, "skerry: Cannot wait longer: timed out waiting for the condition\n"],
  );
  const reason = "ProgressDeadlineExceeded";
  const conditions = [{ type: "Progressing", status: "False", reason }];
  await rig.status({ conditions });
  const failed = await rig.run("status deploy web");
  strictEqual(failed.code, 1);
  strictEqual(
    failed.errors,
    'skerry: deployment "web" exceeded its progress deadline\n',
  );
  await rig.status({});
  const going = new TestIo();
  const gone = rig.run("status deploy web", going);
  await until(() => going.output !== "");
  const ref = { ...DEPLOYMENT, namespace: "default", name: "web" };
  await rig.local.store.delete(
    ref,
    { propagation: "Orphan" },
    rig.local.signal,
  );
  await rig.local.store.patch(
    ref,
    { metadata: { finalizers: null } },
    rig.local.signal,
  ).catch(() => {});
  const { code, errors } = await gone;
  strictEqual(code, 1);
  match(errors, /object has been deleted/);
  const missing = await rig.run("status deploy web");
  match(missing.errors, /deployments\.apps "web" not found/);
});

Deno.test("main() shows the revisions of a rollout", async () => {
  await using rig = await Rig.start();
  const { output } = await rig.run("history deploy web");
  strictEqual(
    output,
    "deployment.apps/web\nREVISION   CHANGE-CAUSE\n1          <none>\n2          <none>\n3          <none>\n\n",
  );
  const one = await rig.run("history deploy web --revision=2");
  strictEqual(
    one.output,
    `deployment.apps/web with revision #2
Pod Template:
  Labels:          app=web
  Containers:
    a:
      Image:        nginx:2
      Port:         <none>
      Host Port:    <none>
      Environment:  <none>
      Mounts:       <none>
  Volumes:         <none>
  Node-Selectors:  <none>
`,
  );
  const none = await rig.run("history deploy web --revision=9");
  strictEqual(none.code, 1);
  match(none.errors, /unable to find specified revision 9 in history/);
  const other = await rig.run("history sts web");
  match(other.errors, /statefulsets\.apps "web" not found/);
});

Deno.test("main() takes a rollout back in its manifest, to the last revision or a named one", async () => {
  await using rig = await Rig.start();
  const dry = await rig.run("undo deploy web --dry-run=client");
  strictEqual(dry.output, "deployment.apps/web rolled back (dry run)\n");
  strictEqual(await rig.manifest(), MANIFEST);
  const last = await rig.run("undo deploy web");
  strictEqual(last.errors, "");
  strictEqual(last.output, "deployment.apps/web rolled back\n");
  strictEqual(await rig.manifest(), MANIFEST.replace("nginx:3", "nginx:2"));
  await rig.take();
  const named = await rig.run("undo deploy web --to-revision=1");
  strictEqual(named.code, 0);
  strictEqual(await rig.manifest(), MANIFEST.replace("nginx:3", "nginx:1"));
  await rig.take();
  const same = await rig.run("undo deploy web --to-revision=1");
  strictEqual(
    same.output,
    "deployment.apps/web skipped rollback (current template already matches revision 1)\n",
  );
  const gone = await rig.run("undo deploy web --to-revision=8");
  match(gone.errors, /unable to find specified revision 8 in history/);
});

Deno.test("main() takes back what the agent has, whatever revision is the newest", async () => {
  await using rig = await Rig.start();
  // As after a rollback by the agent, or before it has made the set of a new template.
  const text = MANIFEST.replace("nginx:3", "nginx:1");
  await rig.write(text);
  await rig.take();
  const { output, errors } = await rig.run("undo deploy web --to-revision=1");
  strictEqual(errors, "");
  strictEqual(
    output,
    "deployment.apps/web skipped rollback (current template already matches revision 1)\n",
  );
  strictEqual(await rig.manifest(), text);
  const third = await rig.run("undo deploy web --to-revision=3");
  strictEqual(third.output, "deployment.apps/web rolled back\n");
  strictEqual(await rig.manifest(), MANIFEST);
});

Deno.test("main() takes nothing back before the agent has what the manifest says", async () => {
  await using rig = await Rig.start();
  await rig.write(MANIFEST.replace("nginx:3", "nginx:4"));
  const io = new TestIo();
  const done = rig.run("undo deploy web --to-revision=2", io);
  await until(() => io.clock.pendingTimers > 0);
  strictEqual(io.output, "");
  await rig.take();
  strictEqual((await done).output, "deployment.apps/web rolled back\n");
  strictEqual(await rig.manifest(), MANIFEST.replace("nginx:3", "nginx:2"));
});

Deno.test("main() takes no rollout back that is paused, or has no revisions", async () => {
  await using rig = await Rig.start();
  const text = MANIFEST.replace("replicas", "paused: true\n  replicas");
  await rig.write(text);
  await rig.take();
  const paused = await rig.run("undo deploy web");
  strictEqual(paused.code, 1);
  strictEqual(
    paused.errors,
    "skerry: Cannot roll back deployment.apps/web: it is paused (run rollout resume first)\n",
  );
  strictEqual(await rig.manifest(), text);
  const { signal, store } = rig.local;
  for (const number of [1, 2]) {
    const ref = { ...SET, namespace: "default", name: `web-h${number}` };
    await store.delete(ref, { propagation: "Background" }, signal);
  }
  const lone = await rig.run("undo deploy web");
  match(lone.errors, /no last revision to roll back to/);
  const ref = { ...SET, namespace: "default", name: "web-h3" };
  await store.delete(ref, { propagation: "Background" }, signal);
  const none = await rig.run("history deploy web");
  deepStrictEqual(none, {
    code: 0,
    output: "deployment.apps/web\nNo rollout history found.\n",
    errors: "",
  });
});

const UNSEEN = "Waiting for deployment spec update to be observed...\n";
const ROLLED = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };

Deno.test("main() waits with a rollout until the agent has what the manifest says", async () => {
  await using rig = await Rig.start();
  await rig.write(MANIFEST.replace("replicas: 2", "replicas: 1"));
  await rig.status({ ...ROLLED, replicas: 2, updatedReplicas: 2 });
  const once = await rig.run("status deploy web --watch=false", undefined, "m");
  deepStrictEqual(once, { code: 0, output: UNSEEN, errors: "" });
  const io = new TestIo();
  const done = rig.run("status deploy web", io, "m");
  await until(() => io.output !== "");
  await rig.status({ observedGeneration: 9, ...ROLLED });
  await rig.take();
  strictEqual((await done).code, 0);
  strictEqual(io.output, `${UNSEEN}deployment "web" successfully rolled out\n`);
});

Deno.test("main() waits no longer than an agent takes that does not want the manifest", async () => {
  await using rig = await Rig.start();
  await rig.patch({ replicas: 1 });
  await rig.status({ observedGeneration: 9, ...ROLLED });
  const io = new TestIo();
  const done = rig.run("status deploy web", io, "m");
  await until(() => io.output !== "");
  await io.clock.advance(29_999);
  strictEqual(io.output, UNSEEN);
  await io.clock.advance(1);
  strictEqual((await done).code, 0);
  strictEqual(io.output, `${UNSEEN}deployment "web" successfully rolled out\n`);
});

for (
  const [name, text] of [
    ["refused", MANIFEST.replace("image: nginx:3", "imige: 3")],
    ["of another", MANIFEST.replace("name: web", "name: other")],
    ["in another namespace", MANIFEST.replace("web}", "web, namespace: x}")],
    ["no YAML", "["],
  ] as const
) {
  Deno.test(`main() asks the agent alone for a rollout whose manifest is ${name}`, async () => {
    await using rig = await Rig.start();
    await rig.write(text);
    await rig.patch({ replicas: 1 });
    await rig.status({ observedGeneration: 9, ...ROLLED });
    const { output } = await rig.run("status deploy web", undefined, "m");
    strictEqual(output, 'deployment "web" successfully rolled out\n');
  });
}
