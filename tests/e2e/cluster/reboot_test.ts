/**
 * A node of a real cluster whose machine loses its power: with its API server and without.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** The restarts of a pod's container, and which one runs. */
interface Seen {
  readonly restarts: number;
  readonly id: string | undefined;
  readonly isReady: boolean;
}

async function look(rig: JoinedRig, name: string): Promise<Seen | undefined> {
  const pod = (await rig.agent.pods())?.find(({ metadata }) =>
    metadata.name === name
  );
  const status = pod?.status?.containerStatuses?.[0];
  if (status === undefined) return undefined;
  return {
    restarts: status.restartCount,
    id: status.state?.running === undefined ? undefined : status.containerID,
    isReady: status.ready,
  };
}

async function untilReady(
  rig: JoinedRig,
  name: string,
  after?: Seen,
): Promise<Seen> {
  let seen: Seen | undefined;
  await waitUntil(`pod ${name}, which is ready`, async () => {
    seen = await look(rig, name);
    return seen?.isReady === true && seen.id !== undefined &&
      seen.id !== after?.id;
  }, {
    saw: async () => `${JSON.stringify(seen)}\n${await rig.agent.logTail(60)}`,
  });
  ok(seen !== undefined);
  return seen;
}

function podOn(node: string, name: string, spec: object): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName: node, terminationGracePeriodSeconds: 1, ...spec },
  };
}

/** A pod that is ready only if it began in order and has all that it refers to. */
function wholePod(node: string, name: string): unknown {
  const work = { name: "work", mountPath: "/work" };
  return podOn(node, name, {
    initContainers: [
      container("echo first >>/work/order", {
        name: "first",
        volumeMounts: [work],
      }),
      container("echo second >>/work/order", {
        name: "second",
        volumeMounts: [work],
      }),
    ],
    containers: [
      container(
        `test "$(tail -n 2 /work/order | tr '\\n' ' ')" = "first second " && echo main >>/work/order && sleep 3600`,
        {
          env: [{
            name: "PASSWORD",
            valueFrom: { secretKeyRef: { name: "login", key: "password" } },
          }],
          volumeMounts: [
            work,
            { name: "settings", mountPath: "/etc/settings" },
            { name: "login", mountPath: "/etc/login" },
          ],
          readinessProbe: {
            exec: {
              command: [
                "sh",
                "-c",
                `grep -q one /etc/settings/greeting && grep -q hunter2 /etc/login/password && test "$PASSWORD" = hunter2 && test -s ${TOKEN}`,
              ],
            },
            periodSeconds: 1,
            failureThreshold: 1,
          },
          livenessProbe: {
            exec: { command: ["test", "-e", "/work/order"] },
            periodSeconds: 1,
          },
        },
      ),
    ],
    volumes: [
      { name: "work", emptyDir: {} },
      { name: "settings", configMap: { name: "settings" } },
      { name: "login", secret: { secretName: "login" } },
    ],
  });
}

/** A pod without a wish, which gets a token all the same. */
function plainPod(node: string, name: string): unknown {
  const probe = { exec: { command: ["test", "-s", TOKEN] } };
  return podOn(node, name, {
    containers: [
      container("sleep 3600", {
        readinessProbe: { ...probe, periodSeconds: 1, failureThreshold: 1 },
      }),
    ],
  });
}

async function furnish(rig: JoinedRig, greeting = "one"): Promise<void> {
  const metadata = { namespace: "default" };
  await rig.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, name: "settings" },
    data: { greeting },
  });
  await rig.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...metadata, name: "login" },
    stringData: { password: "hunter2" },
  });
}

async function joined(
  cluster: JoinedRig["cluster"],
  node: string,
  ...args: readonly string[]
): Promise<JoinedRig> {
  const rig = await JoinedRig.start(cluster, node, { args });
  await rig.until("a node that is ready", lookAtNode(node), isNodeReady);
  await furnish(rig);
  return rig;
}

await withCluster("a node that loses its power", (test) => {
  test("with its API server everything runs again, in order, and no restart is forgotten", async (cluster) => {
    await using rig = await joined(cluster, "edge1");
    await rig.create(wholePod("edge1", "whole"));
    const first = await untilReady(rig, "whole");
    await rig.powerOff();
    await rig.powerOn();
    const second = await untilReady(rig, "whole", first);
    ok(second.restarts >= first.restarts, JSON.stringify([first, second]));
    await rig.powerOff();
    await rig.powerOn();
    const third = await untilReady(rig, "whole", second);
    ok(third.restarts >= second.restarts, JSON.stringify([second, third]));
    // Nothing was missing for a moment.
    const events = await rig.agent.get("/api/v1/events");
    ok(!events.text.includes("not found"), events.text);
    await rig.kubectl("delete", "pod", "whole", "--timeout=100s");
  });

  for (const how of ["encrypted", "plain"]) {
    test(`without its API server what ran runs again with Secrets that are kept ${how}; what changed meanwhile is made up for`, async (cluster) => {
      const node = `edge-${how}`;
      await using rig = await joined(cluster, node, `--keep-secrets=${how}`);
      const names = ["stays", "goes"].map((name) => `${name}-${how}`);
      const [stays = "", goes = ""] = names;
      for (const name of names) await rig.create(wholePod(node, name));
      const before = new Map<string, Seen>();
      for (const name of names) before.set(name, await untilReady(rig, name));
      await rig.powerOff();
      const force = ["--grace-period=0", "--force", "--timeout=100s"];
      await rig.kubectl("delete", "pod", goes, ...force);
      await cluster.endPart("kube-apiserver", "SIGKILL");
      await rig.powerOn();
      const again = new Map<string, Seen>();
      for (const name of names) {
        const seen = await untilReady(rig, name, before.get(name));
        again.set(name, seen);
        ok(seen.restarts >= (before.get(name)?.restarts ?? Infinity));
      }
      await cluster.startPart("kube-apiserver");
      await waitUntil(
        "the end of the pod that was deleted meanwhile",
        async () => (await rig.agent.pods())?.length === 1,
        { saw: () => rig.agent.logTail(60) },
      );
      await furnish(rig, "two");
      // Its readiness asks for the old text.
      await waitUntil(
        "the changed ConfigMap",
        async () => (await look(rig, stays))?.isReady === false,
      );
      await furnish(rig, "one");
      const after = await untilReady(rig, stays);
      const { id, restarts } = again.get(stays) ?? {};
      strictEqual(after.id, id);
      strictEqual(after.restarts, restarts);
      await rig.until(
        "its status in the cluster",
        ["get", "pod", stays, "--no-headers"],
        (text) => /1\/1\s+Running/.test(text),
      );
      await rig.kubectl("delete", "pod", stays, "--timeout=100s");
    });
  }

  test("without kept Secrets a pod runs again with an empty token, and one that needs a Secret says what it waits for", async (cluster) => {
    await using rig = await joined(cluster, "edge-memory");
    await rig.create(plainPod("edge-memory", "tokened"));
    await rig.create(wholePod("edge-memory", "secretive"));
    const before = await untilReady(rig, "tokened");
    await untilReady(rig, "secretive");
    await rig.powerOff();
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await rig.powerOn();
    await waitUntil("a pod that runs without its token", async () => {
      const seen = await look(rig, "tokened");
      return seen?.id !== undefined && seen.id !== before.id;
    });
    await rig.agent.untilAnswer(
      "/reports/default/secretive",
      /"explanation": ?\[[^\]]*login is missing: the API server has not answered since the agent's start; Secrets are not kept over a reboot \(--keep-secrets=encrypted would\)/,
    );
    const { text } = await rig.agent.get("/api/v1/events");
    match(text, /TokenNotKept/);
    match(
      text,
      /secret \\"login\\" not found: the API server has not answered/,
    );
    const running = await look(rig, "tokened");
    strictEqual(running?.isReady, false);
    await cluster.startPart("kube-apiserver");
    const tokened = await untilReady(rig, "tokened");
    strictEqual(tokened.id, running.id);
    await untilReady(rig, "secretive");
    for (const name of ["tokened", "secretive"]) {
      await rig.kubectl("delete", "pod", name, "--timeout=100s");
    }
  });

  test("a key that comes late is enough, without the API server", async (cluster) => {
    const key = `${cluster.directory}/usb.key`;
    const put = () => Deno.writeTextFile(key, `${"A".repeat(43)}=\n`);
    await put();
    await using rig = await joined(
      ...[cluster, "edge-key", "--keep-secrets=encrypted"] as const,
      `--keep-secrets-key-file=${key}`,
    );
    await rig.create(wholePod("edge-key", "locked"));
    const before = await untilReady(rig, "locked");
    await rig.powerOff();
    await Deno.remove(key);
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await rig.powerOn();
    await rig.agent.untilAnswer(
      "/reports/default/locked",
      /Cannot find the key of kept Secrets: there is no/,
    );
    await rig.agent.untilAnswer(
      "/metrics",
      /^skerry_kept_secrets_locked\{source="api"\} 1$/m,
    );
    await put();
    await untilReady(rig, "locked", before);
    await cluster.startPart("kube-apiserver");
    await rig.kubectl("delete", "pod", "locked", "--timeout=100s");
  });
}, { hasControllers: true });
