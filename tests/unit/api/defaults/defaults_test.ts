/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { applyPodDefaults } from "../../../../mod/api/defaults/defaults.ts";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import type { PodBody } from "../../../../mod/api/types/pod.ts";
import { type Draft, podJson } from "../../../support/api/drafts.ts";
import { TYPICAL_POD } from "../../../support/api/typical_pod.ts";

function specOf(parts: { spec?: Draft; container?: Draft }): PodBody["spec"] {
  const result = decodeManifest(podJson(parts));
  if (result.kind === "refused") throw new Error(JSON.stringify(result.faults));
  const [pod] = result.pods;
  if (pod === undefined) throw new Error("no pod");
  return pod.spec;
}

function containerOf(container: Draft, spec: Draft = {}) {
  return specOf({ container, spec }).containers[0];
}

Deno.test("applyPodDefaults() fills in what a bare pod leaves open", () => {
  deepStrictEqual(specOf({}), {
    containers: [{
      name: "app",
      image: "app:1",
      imagePullPolicy: "IfNotPresent",
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      resources: {},
    }],
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
  });
});

Deno.test("applyPodDefaults() changes nothing that is given", () => {
  const given = {
    restartPolicy: "Never",
    dnsPolicy: "Default",
    terminationGracePeriodSeconds: 0,
    enableServiceLinks: false,
  };
  const spec = specOf({ spec: given });
  deepStrictEqual({ ...spec, ...given }, spec);
});

Deno.test("applyPodDefaults() leaves its input alone and is idempotent", () => {
  const result = decodeManifest(TYPICAL_POD);
  const [pod] = result.kind === "ok" ? result.pods : [];
  if (pod === undefined) throw new Error("no pod");
  const before = structuredClone(pod);
  deepStrictEqual(applyPodDefaults(pod), pod);
  deepStrictEqual(pod, before);
});

const PULL: readonly [string, string][] = [
  ["app", "Always"],
  ["app:latest", "Always"],
  ["app:1", "IfNotPresent"],
  ["localhost:5000/app", "Always"],
  ["localhost:5000/app:1", "IfNotPresent"],
  [`app@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  [`app:1@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  [`app:latest@sha256:${"0".repeat(64)}`, "Always"],
];

for (const [image, policy] of PULL) {
  Deno.test(`applyPodDefaults() pulls ${image} ${policy}`, () => {
    strictEqual(containerOf({ image })?.imagePullPolicy, policy);
  });
}

Deno.test("applyPodDefaults() fills in probes", () => {
  const probe = { httpGet: { port: 80 }, periodSeconds: 0 };
  deepStrictEqual(containerOf({ readinessProbe: probe })?.readinessProbe, {
    httpGet: { port: 80, path: "/", scheme: "HTTP" },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  const grpc = containerOf({ livenessProbe: { grpc: { port: 80 } } });
  strictEqual(grpc?.livenessProbe?.grpc?.service, "");
});

Deno.test("applyPodDefaults() fills in hooks, references and ports", () => {
  const container = containerOf({
    lifecycle: { preStop: { httpGet: { port: 80 } } },
    env: [{
      name: "A",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    }],
    ports: [{ containerPort: 80 }],
  });
  deepStrictEqual(container?.lifecycle?.preStop?.httpGet, {
    port: 80,
    path: "/",
    scheme: "HTTP",
  });
  strictEqual(container?.env?.[0]?.valueFrom?.fieldRef?.apiVersion, "v1");
  deepStrictEqual(container?.ports, [{ containerPort: 80, protocol: "TCP" }]);
});

Deno.test("applyPodDefaults() makes a container's port one of the node with hostNetwork", () => {
  const container = containerOf({ ports: [{ containerPort: 80 }] }, {
    hostNetwork: true,
  });
  strictEqual(container?.ports?.[0]?.hostPort, 80);
});

Deno.test("applyPodDefaults() takes missing requests from limits", () => {
  const resources = {
    limits: { cpu: "2", memory: "1Gi" },
    requests: { cpu: "1", "ephemeral-storage": "1Gi" },
  };
  deepStrictEqual(containerOf({ resources })?.resources?.requests, {
    cpu: "1",
    memory: "1Gi",
    "ephemeral-storage": "1Gi",
  });
});

Deno.test("applyPodDefaults() rounds amounts up to a thousandth", () => {
  const resources = { limits: { cpu: "0.1m", memory: "100m" } };
  deepStrictEqual(containerOf({ resources })?.resources?.limits, {
    cpu: "1m",
    memory: "100m",
  });
});

Deno.test("applyPodDefaults() takes a pod's own requests from its containers, else from its limits", () => {
  const { resources } = specOf({
    container: { resources: { requests: { cpu: "200m" } } },
    spec: {
      resources: { limits: { cpu: "2", memory: "1Gi" } },
      initContainers: [
        {
          name: "side",
          image: "s:1",
          restartPolicy: "Always",
          resources: { requests: { cpu: "100m" } },
        },
        {
          name: "init",
          image: "i:1",
          resources: { requests: { cpu: "250m" } },
        },
      ],
    },
  });
  // The init container runs beside the sidecar and needs 350m together with it.
  deepStrictEqual(resources?.requests, { cpu: "350m", memory: "1Gi" });
});

const VOLUMES: readonly [string, Draft, Draft][] = [
  ["no source", {}, { emptyDir: {} }],
  ["hostPath", { hostPath: { path: "/x" } }, {
    hostPath: { path: "/x", type: "" },
  }],
  ["configMap", { configMap: { name: "c" } }, {
    configMap: { name: "c", defaultMode: 420 },
  }],
  ["secret", { secret: { secretName: "s", defaultMode: 0o400 } }, {
    secret: { secretName: "s", defaultMode: 0o400 },
  }],
  [
    "downwardAPI",
    {
      downwardAPI: {
        items: [{ path: "a", fieldRef: { fieldPath: "metadata.name" } }],
      },
    },
    {
      downwardAPI: {
        items: [{
          path: "a",
          fieldRef: { fieldPath: "metadata.name", apiVersion: "v1" },
        }],
        defaultMode: 420,
      },
    },
  ],
  ["projected", { projected: { sources: [{ secret: { name: "s" } }] } }, {
    projected: { sources: [{ secret: { name: "s" } }], defaultMode: 420 },
  }],
  ["image", { image: { reference: "r" } }, {
    image: { reference: "r", pullPolicy: "Always" },
  }],
];

for (const [what, source, filled] of VOLUMES) {
  Deno.test(`applyPodDefaults() fills in a volume with ${what}`, () => {
    const { volumes } = specOf({
      spec: { volumes: [{ name: "v", ...source }] },
    });
    deepStrictEqual(volumes, [{ name: "v", ...filled }]);
  });
}
