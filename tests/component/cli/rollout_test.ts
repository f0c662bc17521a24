/**
 * `rollout` against a control server on a real socket, and a folder of manifests.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";
import { LocalRig } from "../../support/local/local_rig.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" };
const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: a
        image: nginx:3 # newest
`;

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
      spec: { replicas: 2 },
    });
    for (const number of [1, 2, 3]) await rig.local.create(rig.#set(number));
    return rig;
  }

  #set(number: number): NewObject {
    const { uid = "" } = this.deployment?.metadata ?? {};
    const owner = { ...DEPLOYMENT, name: "web", uid, controller: true };
    const labels = { app: "web", "pod-template-hash": `h${number}` };
    const containers = [{ name: "a", image: `nginx:${number}` }];
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        namespace: "default",
        name: `web-h${number}`,
        annotations: { "deployment.kubernetes.io/revision": `${number}` },
        ownerReferences: [owner],
      },
      spec: { template: { metadata: { labels }, spec: { containers } } },
    };
  }

  async status(status: Readonly<Record<string, unknown>>): Promise<void> {
    const ref = { ...DEPLOYMENT, namespace: "default", name: "web" };
    const { store, signal } = this.local;
    const old = await store.get(ref, signal);
    const told = { ...old, status: { observedGeneration: 1, ...status } };
    await store.updateStatus(told, signal);
  }

  run(line: string, io?: TestIo) {
    const { path } = this;
    const at = `--control-socket=${path}/s.sock --pod-manifest-path=${path}/m`;
    return run(`rollout ${line} ${at}`, io);
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
  match(one.output, /^deployment\.apps\/web with revision #2\n/);
  match(one.output, /image: nginx:2\n/);
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
  const named = await rig.run("undo deploy web --to-revision=1");
  strictEqual(named.code, 0);
  strictEqual(await rig.manifest(), MANIFEST.replace("nginx:3", "nginx:1"));
  const same = await rig.run("undo deploy web --to-revision=3");
  strictEqual(
    same.output,
    "deployment.apps/web skipped rollback (current template already matches revision 3)\n",
  );
  const gone = await rig.run("undo deploy web --to-revision=8");
  match(gone.errors, /unable to find specified revision 8 in history/);
});
