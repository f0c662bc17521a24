/**
 * The commands that change manifests, on a real runtime, beside comments of another's hand.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { BUSYBOX_IMAGE } from "../../scripts/lib/containerd_rig.ts";
import { runningContainers } from "../../scripts/lib/pod_views.ts";
import {
  RunningSkerry,
  runSkerry,
  type SkerryResult,
} from "../../scripts/lib/run_skerry.ts";
import { waitUntil } from "../../scripts/lib/wait_until.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const OTHER_IMAGE = "localhost/busybox:2";
const MANIFEST = `# The front of the shop.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # short, since others are told of it
  namespace: shop
spec:
  replicas: 2   # enough on weekdays
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      # There may be more one day.
      - name: server
        image: "${BUSYBOX_IMAGE}" # on the node already
        imagePullPolicy: Never
        command: [sleep, 1d]
`;
const RESTARTED = /^ {6}annotations:\n {8}kubectl.*restartedAt: '.*'\n/m;

/** An agent, its folder, and its command line. */
class Shop {
  readonly agent: AgentProcess;

  constructor(agent: AgentProcess) {
    this.agent = agent;
  }

  #args(line: string): readonly string[] {
    const { manifestPath, rootDir } = this.agent;
    return [
      ...line.split(" "),
      "--namespace=shop",
      `--root-dir=${rootDir}`,
      ...(/^(?:get|describe)/.test(line)
        ? []
        : [`--pod-manifest-path=${manifestPath}`]),
    ];
  }

  async run(line: string): Promise<SkerryResult> {
    return await runSkerry(this.#args(line));
  }

  /** What a command says that succeeds. */
  async said(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line);
    strictEqual(code, 0, `${line}: ${stdout}${stderr}`);
    return stdout;
  }

  async follow(line: string): Promise<RunningSkerry> {
    return await RunningSkerry.start(this.#args(line));
  }

  /** The manifest of the Deployment as it is now. */
  async manifest(): Promise<string> {
    return await Deno.readTextFile(`${this.agent.manifestPath}/web.yaml`);
  }

  /** Waits for so many pods of an image, and no others. */
  async until(count: number, image: string): Promise<readonly Pod[]> {
    return await this.agent.until(
      `${count} of ${image}`,
      (pods) =>
        pods.length === count &&
        pods.every((pod) =>
          runningContainers(pod) === 1 &&
          pod.spec.containers[0]?.image === image
        ),
    );
  }

  /** Waits until a rollout is done, as an operator does. */
  async rolledOut(): Promise<void> {
    const said = await this.said("rollout status deploy web --timeout=120s");
    match(said, /^deployment "web" successfully rolled out\n$/m);
  }
}

withRuntime("commands that change manifests", (test) => {
  test("a manifest of another's hand is scaled, rolled out, taken back and deleted", async (runtime) => {
    await runtime.rig.tools.importBusybox(OTHER_IMAGE);
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const shop = new Shop(agent);
    await agent.apply("web.yaml", MANIFEST);
    await shop.until(2, BUSYBOX_IMAGE);
    await shop.rolledOut();
    match(
      await shop.said("get deploy"),
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\d/,
    );

    await using watching = await shop.follow("get deploy web -w");
    await watching.until(/^web +2\/2 /m);
    strictEqual(
      await shop.said("scale deploy web --replicas=3"),
      "deployment.apps/web scaled\n",
    );
    await shop.rolledOut();
    await watching.until(/^web +3\/3 +3 +3 /m);
    strictEqual(await watching.stop(), 0);
    const scaled = MANIFEST.replace("2   #", "3   #");
    strictEqual(await shop.manifest(), scaled);

    await shop.said(`set image deploy web server=${OTHER_IMAGE}`);
    await shop.rolledOut();
    await shop.until(3, OTHER_IMAGE);
    const second = scaled.replace(BUSYBOX_IMAGE, OTHER_IMAGE);
    strictEqual(await shop.manifest(), second);
    match(
      await shop.said("rollout history deploy web"),
      /^deployment.apps\/web\nREVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/,
    );
    match(
      await shop.said("rollout history deploy web --revision=1"),
      /#1\nPod Template:\n(?:.*\n)+ +Image: +localhost\/busybox:1\.35\n/,
    );
    match(
      await shop.said("describe deploy web"),
      /^OldReplicaSets: +web-\w+ \(0\/0 .*\nNewReplicaSet: +web-\w+ \(3\/3 /m,
    );

    // An image that is nowhere.
    await shop.said("set image deploy web server=localhost/no:1");
    const late = await shop.run("rollout status deploy web --timeout=5s");
    strictEqual(late.code, 1, late.stdout);
    match(late.stdout, /^Waiting for deployment "web" rollout to finish: /m);
    match(late.stderr, /timed out waiting for the condition/);
    strictEqual(
      await shop.said("rollout undo deploy web"),
      "deployment.apps/web rolled back\n",
    );
    await shop.rolledOut();
    await shop.until(3, OTHER_IMAGE);
    strictEqual(await shop.manifest(), second);
  });

  test("a rollout is paused, resumed and begun again, and manifests are applied over comments", async (runtime) => {
    await runtime.rig.tools.importBusybox(OTHER_IMAGE);
    await using agent = await AgentProcess.start(runtime.agentOptions());
    const shop = new Shop(agent);
    await agent.apply("web.yaml", MANIFEST);
    await shop.until(2, BUSYBOX_IMAGE);

    await shop.said("rollout pause deploy web");
    await shop.said(`set image deploy web server=${OTHER_IMAGE}`);
    const waits = await shop.run("rollout status deploy web --timeout=5s");
    strictEqual(waits.code, 1);
    match(waits.stdout, /: 0 out of 2 new replicas have been updated\.\.\.\n/);
    await shop.until(2, BUSYBOX_IMAGE);
    const paused = await shop.run("rollout undo deploy web --to-revision=1");
    strictEqual(paused.code, 1);
    match(paused.stderr, /it is paused/);
    await shop.said("rollout resume deploy web");
    await shop.rolledOut();
    const before = await shop.until(2, OTHER_IMAGE);

    await shop.said("rollout restart deploy web");
    await shop.rolledOut();
    const after = await shop.until(2, OTHER_IMAGE);
    const old = new Set(before.map(({ metadata }) => metadata.uid));
    ok(after.every(({ metadata }) => !old.has(metadata.uid)));
    const restarted = await shop.manifest();
    match(restarted, RESTARTED);
    strictEqual(
      restarted.replace(RESTARTED, "").replace("  paused: false\n", ""),
      MANIFEST.replace(BUSYBOX_IMAGE, OTHER_IMAGE),
    );

    const draft = `${agent.directory}/draft.yaml`;
    const wanted = restarted.replaceAll(/ *#.*$/gm, "").trimStart()
      .replace("replicas: 2", "replicas: 1");
    await Deno.writeTextFile(draft, wanted);
    const differs = await shop.run(`diff -f ${draft}`);
    strictEqual(differs.code, 1);
    match(differs.stdout, /^- {2}replicas: 2 {3}# enough on weekdays$/m);
    match(differs.stdout, /^\+ {2}replicas: 1 {3}# enough on weekdays$/m);
    strictEqual(
      await shop.said(`apply -f ${draft}`),
      "deployment.apps/web configured\n",
    );
    strictEqual(await shop.manifest(), restarted.replace("2   #", "1   #"));
    strictEqual(
      await shop.said(`apply -f ${draft}`),
      "deployment.apps/web unchanged\n",
    );
    strictEqual(await shop.said(`diff -f ${draft}`), "");
    await shop.until(1, OTHER_IMAGE);

    strictEqual(
      await shop.said("delete deploy web"),
      'deployment.apps "web" deleted from shop namespace\n',
    );
    await agent.until("none left", (pods) => pods.length === 0);
    await waitUntil("no Deployment", async () => {
      const { code } = await shop.run("get deploy web");
      return code === 1;
    });
    const left = await Array.fromAsync(Deno.readDir(agent.manifestPath));
    deepStrictEqual(left, []);
  });
});
