/**
 * What pods of a cluster refer to: claims, tokens, Services and logins, on a real API server.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { busyboxRecipe } from "../../../scripts/lib/oci_image.ts";
import { runSkerry } from "../../../scripts/lib/run_skerry.ts";
import { firstExisting } from "../../../scripts/lib/runtime_tools.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { OciRegistry } from "../../support/registry/oci_registry.ts";
import { TempDir } from "../../support/temp_dir.ts";

const TOKEN_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

await withCluster("what pods of a cluster refer to", (test) => {
  for (const kind of ["local", "hostPath"] as const) {
    test(`what a pod writes into a volume of kind ${kind} another one reads, also without the API server`, async (cluster) => {
      const node = `on-${kind.toLowerCase()}`;
      await using host = await TempDir.make();
      await using rig = await joined(cluster, node, host);
      const path = `${host.path}/disk`;
      await Deno.mkdir(path);
      await rig.create(claimer("writer", node, "echo kept >/data/file"));
      await rig.until(
        "a pod that waits for its claim",
        ["describe", "pod", "writer"],
        (text) =>
          /FailedMount.*persistentvolumeclaim "data" not found/.test(text),
      );
      await rig.create({
        ...named("v1", "PersistentVolumeClaim", "data"),
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "",
          resources: { requests: { storage: "1Mi" } },
          volumeName: node,
        },
      });
      await rig.until(
        "a pod that waits for the volume of its claim",
        ["describe", "pod", "writer"],
        (text) =>
          text.includes("error processing PVC default/data: PVC is not bound"),
      );
      await rig.create(volume(node, kind, path));
      await rig.until(
        "a pod that has ended",
        ["get", "pod", "writer", "--no-headers"],
        (text) => /\sCompleted\s/.test(text),
      );
      strictEqual(await Deno.readTextFile(`${path}/file`), "kept\n");
      await rig.kubectl("delete", "pod", "writer", "--timeout=100s");
      const reads = "cat /data/file >/data/read && sleep 3600";
      await rig.create(claimer("reader", node, reads));
      await running(rig, "reader");
      strictEqual(await Deno.readTextFile(`${path}/read`), "kept\n");
      // The machine starts anew, and nobody says what the claim is.
      await cluster.endPart("kube-apiserver", "SIGKILL");
      await rig.agent.terminate();
      await rig.runtime.removeAllPods();
      await Deno.remove(`${path}/read`);
      await rig.agent.start();
      await waitUntil("a pod that reads again", () => exists(`${path}/read`));
      await cluster.startPart("kube-apiserver");
      await rig.kubectl("delete", "pod", "reader", "--timeout=100s");
      await rig.kubectl("delete", "pvc", "data", "--timeout=100s");
      strictEqual(await Deno.readTextFile(`${path}/read`), "kept\n");
    });
  }

  test("an ephemeral volume is the claim that a controller makes for its pod", async (cluster) => {
    await using host = await TempDir.make();
    await using rig = await joined(cluster, "ephemeral", host);
    const path = `${host.path}/disk`;
    await Deno.mkdir(path);
    const pod = claimer("scratch", "ephemeral", "touch /data/file; sleep 3600");
    await rig.create({
      ...volume("ephemeral", "local", path),
      spec: { ...volume("ephemeral", "local", path).spec, claimRef: undefined },
    });
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      resources: { requests: { storage: "1Mi" } },
    };
    const ephemeral = { volumeClaimTemplate: { spec } };
    const volumes = [{ name: "data", ephemeral }];
    await rig.create({ ...pod, spec: { ...pod.spec, volumes } });
    await running(rig, "scratch");
    strictEqual(await exists(`${path}/file`), true);
    match(
      await rig.kubectl("get", "pvc", "--no-headers"),
      /^scratch-data\s+Bound/,
    );
    await rig.kubectl("delete", "pod", "scratch", "--timeout=100s");
  });

  test("a pod whose volume is of another kind waits, and says so", async (cluster) => {
    await using host = await TempDir.make();
    await using rig = await joined(cluster, "other", host);
    const { spec, ...rest } = volume("other", "local", "/x");
    const { local: _local, ...common } = spec;
    const nfs = { server: "127.0.0.1", path: "/" };
    await rig.create({ ...rest, spec: { ...common, nfs } });
    await rig.create({
      ...named("v1", "PersistentVolumeClaim", "data"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        resources: { requests: { storage: "1Mi" } },
        volumeName: "other",
      },
    });
    await rig.create(claimer("mounts", "other", "sleep 3600"));
    await rig.until(
      "a pod that says what it lacks",
      ["describe", "pod", "mounts"],
      (text) =>
        /FailedMount.*PVC default\/data: volume plugin "nfs" needs a mount helper/
          .test(text) && /Reason:\s+ContainerCreating/.test(text),
    );
    await rig.kubectl("delete", "pod", "mounts", "--timeout=100s");
    await rig.kubectl("delete", "pvc", "data", "--timeout=100s");
  });

  test("(IN-11) a pod whose service account is gone waits in words, and runs when it is back", async (cluster) => {
    await using host = await TempDir.make();
    await using rig = await joined(cluster, "tokens", host);
    await rig.create(named("v1", "ServiceAccount", "robot"));
    const { spec, ...rest } = writer("robot", host, "sleep 3600");
    const { nodeName: _none, ...unbound } = spec;
    const serviceAccountName = "robot";
    await rig.create({ ...rest, spec: { ...unbound, serviceAccountName } });
    await rig.kubectl("delete", "serviceaccount", "robot");
    const target = { apiVersion: "v1", kind: "Node", name: "tokens" };
    const binding = `${host.path}/binding.json`;
    await Deno.writeTextFile(
      binding,
      JSON.stringify({ ...named("v1", "Binding", "robot"), target }),
    );
    const pods = "/api/v1/namespaces/default/pods/robot";
    await rig.kubectl("create", "--raw", `${pods}/binding`, "-f", binding);
    await rig.until(
      "a pod that says why it waits",
      ["describe", "pod", "robot"],
      (text) =>
        /FailedMount.*failed to fetch token: .*serviceaccounts "robot" not found/
          .test(text) && /Reason:\s+ContainerCreating/.test(text),
    );
    const [shown] = await rig.agent.pods() ?? [];
    strictEqual(shown?.metadata.name, "robot");
    const explain = ["explain", "pod/robot", `--root-dir=${rig.agent.rootDir}`];
    const { stdout } = await runSkerry(explain);
    match(
      stdout,
      /cannot be made ready: failed to fetch token: .*"robot" not found/,
    );
    await rig.create(named("v1", "ServiceAccount", "robot"));
    await running(rig, "robot");
    await rig.kubectl("delete", "pod", "robot", "--timeout=100s");
  });

  test("a container is told of Services, and has tokens that are for its pod", async (cluster) => {
    await using host = await TempDir.make();
    await using rig = await joined(cluster, "told", host);
    await rig.create({
      ...named("v1", "Service", "db"),
      spec: { ports: [{ port: 5432 }], selector: { app: "db" } },
    });
    const tells =
      `env >/out/env; cat ${TOKEN_DIRECTORY}/ca.crt >/out/ca; cat ${TOKEN_DIRECTORY}/namespace >/out/namespace; ` +
      `cat ${TOKEN_DIRECTORY}/token >/out/token; cat /vault/token >/out/vault; sleep 3600`;
    const pod = writer("told", host, tells, [
      { name: "vault", mountPath: "/vault" },
    ]);
    const serviceAccountToken = {
      path: "token",
      audience: "vault",
      expirationSeconds: 600,
    };
    const volumes = [
      ...pod.spec.volumes,
      { name: "vault", projected: { sources: [{ serviceAccountToken }] } },
    ];
    await rig.create({
      ...pod,
      spec: { ...pod.spec, nodeName: "told", volumes },
    });
    await running(rig, "told");
    await waitUntil("what it was told", () => exists(`${host.path}/vault`));
    const said = (name: string) => Deno.readTextFile(`${host.path}/${name}`);
    const env = (await said("env")).split("\n");
    const address = async (name: string): Promise<string> =>
      await rig.kubectl(
        "get",
        "service",
        name,
        "-o",
        "jsonpath={.spec.clusterIP}",
      );
    ok(env.includes(`KUBERNETES_SERVICE_HOST=${await address("kubernetes")}`));
    ok(env.includes("KUBERNETES_SERVICE_PORT_HTTPS=443"));
    ok(env.includes(`DB_SERVICE_HOST=${await address("db")}`));
    ok(env.includes(`DB_PORT_5432_TCP=tcp://${await address("db")}:5432`));
    strictEqual(await said("namespace"), "default");
    const authority = ["get", "configmap", "kube-root-ca.crt", "-o"];
    strictEqual(
      (await said("ca")).trim(),
      (await rig.kubectl(...authority, "jsonpath={.data.ca\\.crt}")).trim(),
    );
    const uid = ["get", "pod", "told", "-o", "jsonpath={.metadata.uid}"];
    const boundTo = { name: "told", uid: await rig.kubectl(...uid) };
    const own = claimsOf(await said("token"));
    const vault = claimsOf(await said("vault"));
    for (const claims of [own, vault]) {
      strictEqual(claims["kubernetes.io"].namespace, "default");
      deepStrictEqual(claims["kubernetes.io"].pod, boundTo);
      strictEqual(claims.sub, "system:serviceaccount:default:default");
    }
    deepStrictEqual(vault.aud, ["vault"]);
    ok(!own.aud.includes("vault") && own.aud.length > 0);
    strictEqual(vault.exp - vault.iat, 600);
    await rig.kubectl("delete", "pod", "told", "--timeout=100s");
  });

  test("an image is pulled with the login of a Secret of the cluster, and not without", async (cluster) => {
    await using host = await TempDir.make();
    await using rig = await joined(cluster, "pulls", host);
    await using registry = await OciRegistry.start();
    const busyboxPath = await firstExisting([
      "/bin/busybox",
      "/usr/bin/busybox",
    ]);
    const made = await busyboxRecipe({ ref: "", busyboxPath });
    const bytes = new TextEncoder().encode(crypto.randomUUID());
    const file = {
      kind: "file",
      path: "etc/name",
      mode: 0o644,
      bytes,
    } as const;
    const image = await registry.add("team/app", {
      ...made,
      layer: [...made.layer, file],
    }, { kind: "basic", logins: ["me:correct-horse"] });
    const auths = { [registry.host]: { auth: btoa("me:correct-horse") } };
    await rig.create({
      ...named("v1", "Secret", "login"),
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": JSON.stringify({ auths }) },
    });
    const pulling = (name: string, secrets: readonly string[]) => ({
      ...named("v1", "Pod", name),
      spec: {
        nodeName: "pulls",
        terminationGracePeriodSeconds: 1,
        imagePullSecrets: secrets.map((name) => ({ name })),
        containers: [container("sleep 3600", { image: image.byTag })],
      },
    });
    await rig.create(pulling("without", []));
    await rig.until(
      "a pod without the image",
      ["describe", "pod", "without"],
      (text) => /Failed to pull image.*(401|authoriz)/i.test(text),
    );
    await rig.create(pulling("with", ["login"]));
    await running(rig, "with");
    await rig.kubectl("delete", "pod", "with", "without", "--timeout=100s");
  });
}, { hasControllers: true });

/** Starts an agent that may look at a directory, and whose node is ready. */
async function joined(
  cluster: Cluster,
  node: string,
  { path }: TempDir,
): Promise<JoinedRig> {
  const args = [`--host-path-roots=${path}`];
  const rig = await JoinedRig.start(cluster, node, { args });
  await rig.until("a node that is ready", lookAtNode(node), isNodeReady);
  return rig;
}

async function running(rig: JoinedRig, name: string): Promise<void> {
  await rig.until(
    `pod ${name}, which runs`,
    ["get", "pod", name, "--no-headers"],
    (text) => /1\/1\s+Running/.test(text),
  );
}

const named = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "default" },
});

/** A pod that has the claim `data` at `/data` and does something once. */
const claimer = (name: string, nodeName: string, command: string) => ({
  ...named("v1", "Pod", name),
  spec: {
    nodeName,
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [
      container(command, {
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      }),
    ],
    volumes: [{
      name: "data",
      persistentVolumeClaim: { claimName: "data" },
    }],
  },
});

/** A pod that writes to `/out`, which is a directory of the test. */
const writer = (
  name: string,
  { path }: TempDir,
  command: string,
  mounts: readonly object[] = [],
) => ({
  ...named("v1", "Pod", name),
  spec: {
    nodeName: "",
    terminationGracePeriodSeconds: 1,
    containers: [
      container(command, {
        volumeMounts: [{ name: "out", mountPath: "/out" }, ...mounts],
      }),
    ],
    volumes: [{ name: "out", hostPath: { path } }],
  },
});

/** A volume of a node, named as that and kept for the claim `data`. */
const volume = (node: string, kind: "hostPath" | "local", path: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: node },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Mi" },
    claimRef: { namespace: "default", name: "data" },
    persistentVolumeReclaimPolicy: "Retain",
    [kind]: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{
          matchExpressions: [{
            key: "kubernetes.io/hostname",
            operator: "In",
            values: [node],
          }],
        }],
      },
    },
  },
});

/** What a token says. */
interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly pod: unknown;
  };
}

function claimsOf(token: string): TokenClaims {
  const [, payload = ""] = token.split(".");
  const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    // It is looked at again.
    return false;
  }
}
