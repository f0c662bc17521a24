/**
 * A pod with about everything that a pod may have, and how it is described.
 *
 * @module
 */

import {
  type ContainerDraft,
  podManifest,
} from "../../../scripts/lib/pod_manifest.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";

/** What nobody may be shown. */
export const SECRET = "s3cr3t-t0ken";

const VOLUMES = [
  { name: "db", secret: { secretName: "db" } },
  { name: "cfg", configMap: { name: "settings", optional: true } },
  { name: "data", persistentVolumeClaim: { claimName: "data" } },
  { name: "tmp", emptyDir: { sizeLimit: "10Mi" } },
  {
    name: "mixed",
    projected: { sources: [{ secret: { name: "db" } }] },
  },
  {
    name: "info",
    downwardAPI: {
      items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }],
    },
  },
  { name: "host", hostPath: { path: "/etc" } },
];

/** The pod "full" with the objects that it names, as one manifest. */
export function fullList(): Record<string, unknown> {
  const pod = podManifest("full", {
    priority: 5,
    initContainers: [
      { name: "prepare", image: BUSYBOX_IMAGE, command: ["true"] },
      {
        name: "side",
        image: BUSYBOX_IMAGE,
        restartPolicy: "Always",
        command: ["sleep", "100000"],
      },
    ],
    containers: [mainContainer()],
    volumes: VOLUMES,
  });
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      object("Secret", "db", { stringData: { password: SECRET } }),
      object("ConfigMap", "settings", { data: { color: "blue" } }),
      object("PersistentVolumeClaim", "data", {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
        },
      }),
      {
        ...pod,
        metadata: {
          name: "full",
          labels: { app: "full", tier: "front" },
          annotations: { note: "two\nlines" },
        },
      },
    ],
  };
}

function mainContainer(): ContainerDraft {
  return {
    name: "main",
    command: ["httpd", "-f", "-p", "8080"],
    ports: [
      { name: "http", containerPort: 8080, hostPort: 18_474 },
      { containerPort: 53, protocol: "UDP" },
    ],
    resources: { requests: { cpu: "50m" }, limits: { memory: "64Mi" } },
    readinessProbe: { tcpSocket: { port: "http" }, periodSeconds: 1 },
    livenessProbe: { httpGet: { port: 8080 }, failureThreshold: 100 },
    env: [
      {
        name: "COLOR",
        valueFrom: { configMapKeyRef: { name: "settings", key: "color" } },
      },
      {
        name: "PASSWORD",
        valueFrom: { secretKeyRef: { name: "db", key: "password" } },
      },
      { name: "URL", value: "db:$(PASSWORD)" },
    ],
    envFrom: [{ prefix: "DB_", secretRef: { name: "db" } }],
    volumeMounts: VOLUMES.map(({ name }) => ({
      name,
      mountPath: `/${name}`,
      readOnly: name === "host",
    })),
  };
}

function object(
  kind: string,
  name: string,
  rest: Record<string, unknown>,
): Record<string, unknown> {
  return { apiVersion: "v1", kind, metadata: { name }, ...rest };
}

/** What `describe` writes of it, among more. */
export const FULL_LINES: readonly RegExp[] = [
  /^Name: +full-edge1\nNamespace: +default\nUID: +[0-9a-f]{32}\nPriority: +5\n/,
  /^Node: +edge1\/[\d.]+$/m,
  /^Labels: +app=full\n +tier=front$/m,
  /^ +note:\n +two\n +lines$/m,
  /^Status: +Running\nIP: +10\.244\.[\d.]+$/m,
  /^Controlled By: +file \/.*\/manifests$/m,
  /^Init Containers:\n {2}prepare:\n {4}Container ID: +containerd:\/\//m,
  /^ {4}State: +Terminated\n {6}Reason: +Completed\n {6}Exit Code: +0$/m,
  /^Containers:\n {2}main:$/m,
  /^ {4}Ports: +8080\/TCP \(http\), 53\/UDP\n {4}Host Ports: +18474\/TCP \(http\), 0\/UDP$/m,
  /^ {4}State: +Running\n {6}Started: +\w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}\n {4}Ready: +True\n {4}Restart Count: +0$/m,
  /^ {4}Limits:\n {6}memory: +64Mi\n {4}Requests:\n {6}cpu: +50m\n/m,
  /^ {4}Liveness: +http-get http:\/\/:8080\/ delay=0s timeout=1s period=10s #success=1 #failure=100$/m,
  /^ {4}Readiness: +tcp-socket :http delay=0s timeout=1s period=1s #success=1 #failure=3\n +last success \d+s ago/m,
  /^ {6}db: +Secret with prefix 'DB_' +Optional: false$/m,
  /^ {6}COLOR: +<set to the key 'color' of config map 'settings'> +Optional: false$/m,
  /^ {6}PASSWORD: +<set to the key 'password' in secret 'db'> +Optional: false$/m,
  /^ {6}URL: +db:\$\(PASSWORD\)$/m,
  /^ {6}\/host from host \(ro\)$/m,
  /^ {2}Ready +True +\d+s$/m,
  /^ {2}db:\n {4}Type: +Secret .*\n {4}SecretName: +db$/m,
  /^ {2}data:\n {4}Type: +PersistentVolumeClaim .*\n {4}ClaimName: +data$/m,
  /^QoS Class: +Burstable\nExplanation:\s+\S/m,
  /^Last Decision:\n {2}Made: .*\n {2}Plan: .*\n {2}Why: .*\n {2}Next: /m,
  /^Events:\n {2}Type +Reason +Age +From +Message\n/m,
  /^ {2}Normal +Started +\d+s +kubelet +Container started$/m,
];
