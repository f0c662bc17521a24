/**
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { decodeManifest } from "../../../mod/api/read/decode.ts";
import { linesOf, podJson } from "../../support/api/drafts.ts";

Deno.test("decodeManifest() never throws on random bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    strictEqual(decodeManifest(bytes).kind, "refused");
  }));
});

Deno.test("decodeManifest() never throws on a pod with anything anywhere", () => {
  const pod: unknown = JSON.parse(podJson(EVERYTHING));
  const places = pathsOf(pod);
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, {}, [], "", [{}], [null]),
  );
  fc.assert(
    fc.property(fc.constantFrom(...places), value, (path, value) => {
      const result = decodeManifest(JSON.stringify(replaced(pod, path, value)));
      if (result.kind === "refused") ok(result.faults.length > 0);
    }),
    { numRuns: 3000 },
  );
});

/** Something of nearly every part of the spec, so that every check is reached. */
const EVERYTHING = {
  metadata: {
    labels: { a: "b" },
    annotations: { a: "b" },
    namespace: "n",
    uid: "u",
  },
  container: {
    env: [
      { name: "A", value: "b" },
      { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      {
        name: "C",
        valueFrom: {
          resourceFieldRef: { resource: "limits.cpu", divisor: "1m" },
        },
      },
      { name: "D", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
      {
        name: "E",
        valueFrom: { fileKeyRef: { volumeName: "e", path: "p", key: "k" } },
      },
    ],
    envFrom: [{ prefix: "X_", secretRef: { name: "s" } }],
    ports: [{
      name: "http",
      containerPort: 80,
      hostPort: 80,
      hostIP: "10.0.0.1",
    }],
    resources: {
      requests: { cpu: "1", "hugepages-2Mi": "2Mi" },
      limits: { cpu: "2", "hugepages-2Mi": "2Mi" },
    },
    livenessProbe: {
      httpGet: { port: "http", httpHeaders: [{ name: "A", value: "b" }] },
    },
    readinessProbe: { grpc: { port: 80 } },
    startupProbe: { exec: { command: ["a"] } },
    lifecycle: {
      preStop: { sleep: { seconds: 1 } },
      postStart: { tcpSocket: { port: 80 } },
    },
    volumeMounts: [{
      name: "h",
      mountPath: "/h",
      subPath: "a",
      recursiveReadOnly: "Disabled",
    }],
    volumeDevices: [{ name: "p", devicePath: "/dev/x" }],
    securityContext: {
      capabilities: { add: ["KILL"], drop: ["ALL"] },
      seccompProfile: { type: "Localhost", localhostProfile: "a" },
      appArmorProfile: { type: "RuntimeDefault" },
      runAsUser: 1,
    },
    restartPolicy: "OnFailure",
    restartPolicyRules: [{
      action: "Restart",
      exitCodes: { operator: "In", values: [1] },
    }],
    resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }],
  },
  spec: {
    volumes: [
      { name: "h", hostPath: { path: "/h" } },
      { name: "e", emptyDir: { sizeLimit: "1Gi", medium: "Memory" } },
      {
        name: "c",
        configMap: { name: "c", items: [{ key: "a", path: "b", mode: 1 }] },
      },
      { name: "s", secret: { secretName: "s" } },
      {
        name: "d",
        downwardAPI: {
          items: [{ path: "a", fieldRef: { fieldPath: "metadata.labels" } }],
        },
      },
      {
        name: "j",
        projected: {
          sources: [{ secret: { name: "s" } }, {
            downwardAPI: {
              items: [{
                path: "x",
                resourceFieldRef: {
                  containerName: "app",
                  resource: "limits.cpu",
                },
              }],
            },
          }],
        },
      },
      { name: "i", image: { reference: "r" } },
      { name: "p", persistentVolumeClaim: { claimName: "c" } },
      { name: "n", nfs: { server: "s", path: "/p" } },
    ],
    initContainers: [{ name: "init", image: "i", restartPolicy: "Always" }],
    securityContext: {
      sysctls: [{ name: "net.ipv4.ip_forward", value: "1" }],
      supplementalGroups: [1],
      fsGroup: 1,
    },
    resources: { requests: { cpu: "4" }, limits: { cpu: "4", memory: "1Gi" } },
    dnsConfig: {
      nameservers: ["10.0.0.1"],
      searches: ["a.b"],
      options: [{ name: "ndots", value: "2" }],
    },
    hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }],
    tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule" }],
    topologySpreadConstraints: [{
      maxSkew: 1,
      topologyKey: "z",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { a: "b" } },
    }],
    readinessGates: [{ conditionType: "a/b" }],
    imagePullSecrets: [{ name: "s" }],
    overhead: { cpu: "1m" },
    os: { name: "linux" },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{
            matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
            matchFields: [{
              key: "metadata.name",
              operator: "In",
              values: ["n"],
            }],
          }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 1,
          preference: { matchExpressions: [{ key: "a", operator: "Exists" }] },
        }],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{
          topologyKey: "z",
          labelSelector: {
            matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
          },
        }],
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 1,
          podAffinityTerm: { topologyKey: "z" },
        }],
      },
    },
  },
};

Deno.test("decodeManifest() takes a pod with something of everything", () => {
  deepStrictEqual(linesOf(podJson(EVERYTHING)), []);
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, one]) =>
    pathsOf(one, [...path, Array.isArray(value) ? Number(key) : key])
  );
  return [path, ...below];
}

function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((one, i) => i === step ? replaced(one, rest, by) : one);
  }
  return Object.fromEntries(
    Object.entries(Object(value)).map((
      [key, one],
    ) => [key, key === step ? replaced(one, rest, by) : one]),
  );
}
