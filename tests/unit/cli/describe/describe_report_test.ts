/**
 * What `describe pod` writes.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  Pod,
  Probe,
  Volume,
} from "../../../../mod/api/types/mod.ts";
import { describeReport } from "../../../../mod/cli/describe/describe_report.ts";
import { probeText } from "../../../../mod/cli/describe/describe_probe.ts";
import { fieldLines } from "../../../../mod/cli/text/field_block.ts";
import { cleanLine } from "../../../../mod/cli/text/terminal_text.ts";
import type { PodReport } from "../../../../mod/server/mod.ts";
import { containerStatus } from "../../../support/pods.ts";
import { shownPod } from "../../../support/cli/shown_pods.ts";

const UTC = { utcOffsetMs: 0 };

function report(rest: Partial<PodReport> & { readonly pod: Pod }): PodReport {
  return {
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: "2024-01-01T01:00:00Z",
    explanation: ["It runs"],
    findings: [],
    activities: [],
    probes: [],
    events: [],
    ...rest,
  };
}

const WEB: ContainerSpec = {
  name: "web",
  image: "registry/x:1",
  command: ["sh", "-c"],
  args: ["run"],
  ports: [{ containerPort: 80, hostPort: 8080 }],
  resources: { limits: { memory: "64Mi", cpu: "1" } },
  livenessProbe: { httpGet: { port: 8080, path: "/" } },
  env: [
    { name: "COLOR", value: "blue" },
    {
      name: "PASSWORD",
      valueFrom: { secretKeyRef: { name: "db", key: "password" } },
    },
    { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
  ],
  envFrom: [{ configMapRef: { name: "settings" } }],
  volumeMounts: [
    { name: "cfg", mountPath: "/run", subPath: "a/b" },
    { name: "cfg", mountPath: "/cfg", readOnly: true },
    { name: "cfg", mountPath: "/etc" },
  ],
};

const VOLUMES: readonly Volume[] = [
  { name: "cfg", configMap: { name: "settings" } },
];

const WHOLE = report({
  pod: shownPod("web-n1", {
    uid: "u1",
    labels: { app: "web", tier: "front" },
    containers: [WEB],
    volumes: VOLUMES,
    status: {
      phase: "Running",
      startTime: "2024-01-01T00:00:00Z",
      qosClass: "Burstable",
      podIP: "10.0.0.2",
      podIPs: [{ ip: "10.0.0.2" }],
      hostIP: "10.0.0.1",
      conditions: [{
        type: "Ready",
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [web]",
        lastTransitionTime: "2024-01-01T00:59:00Z",
      }],
      containerStatuses: [containerStatus("web", {
        image: "registry/x:1",
        containerID: "containerd://c1",
        ready: false,
        restartCount: 1,
        state: { running: { startedAt: "2024-01-01T00:59:00Z" } },
        lastState: {
          terminated: {
            exitCode: 1,
            reason: "Error",
            message: "first\nsecond\n",
            startedAt: "2024-01-01T00:00:00Z",
            finishedAt: "2024-01-01T00:58:00Z",
          },
        },
      })],
    },
  }),
  explanation: ["Readiness fails", "It restarted"],
  source: { name: "file", location: "/etc/skerry/manifests" },
  decision: {
    time: "2024-01-01T00:59:30Z",
    plan: "keep sandbox",
    why: ["nothing to do"],
    failures: [],
    next: { kind: "settled" },
  },
  probes: [{
    container: "web",
    kind: "liveness",
    probe: WEB.livenessProbe ?? {},
    verdict: "success",
    consecutive: 2,
    last: {
      kind: "failure",
      message: "HTTP probe failed with statuscode: 503",
      time: "2024-01-01T00:59:55Z",
    },
  }],
  events: [{
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: "web-n1.1",
      namespace: "default",
      uid: "e1",
      resourceVersion: "1",
      creationTimestamp: "2024-01-01T00:50:00Z",
    },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "default",
      name: "web-n1",
      uid: "u1",
    },
    reason: "BackOff",
    message: "Back-off restarting",
    source: { component: "kubelet", host: "n1" },
    firstTimestamp: "2024-01-01T00:50:00Z",
    lastTimestamp: "2024-01-01T00:59:00Z",
    count: 3,
    type: "Warning",
    eventTime: null,
    reportingComponent: "kubelet",
    reportingInstance: "n1",
  }],
});

Deno.test("describeReport() writes a pod as kubectl lays it out", () => {
  deepStrictEqual(
    describeReport(WHOLE, UTC).split("\n"),
    [
      "Name:           web-n1",
      "Namespace:      default",
      "UID:            u1",
      "Priority:       0",
      "Node:           n1/10.0.0.1",
      "Start Time:     Mon, 01 Jan 2024 00:00:00 +0000",
      "Labels:         app=web",
      "                tier=front",
      "Annotations:    <none>",
      "Status:         Running",
      "IP:             10.0.0.2",
      "IPs:",
      "  IP:  10.0.0.2",
      "Controlled By:  file /etc/skerry/manifests",
      "Containers:",
      "  web:",
      "    Container ID:   containerd://c1",
      "    Image:          registry/x:1",
      "    Image ID:       sha256:1",
      "    Port:           80/TCP",
      "    Host Port:      8080/TCP",
      "    Command:",
      "      sh",
      "      -c",
      "    Args:",
      "      run",
      "    State:          Running",
      "      Started:  Mon, 01 Jan 2024 00:59:00 +0000",
      "    Last State:     Terminated",
      "      Reason:     Error",
      "      Message:    first",
      "                  second",
      "      Exit Code:  1",
      "      Started:    Mon, 01 Jan 2024 00:00:00 +0000",
      "      Finished:   Mon, 01 Jan 2024 00:58:00 +0000",
      "    Ready:          False",
      "    Restart Count:  1",
      "    Limits:",
      "      cpu:     1",
      "      memory:  64Mi",
      "    Liveness:       http-get http://:8080/ delay=0s timeout=1s period=10s #success=1 #failure=3",
      "                    last failure 5s ago, 2 in a row: HTTP probe failed with statuscode: 503",
      "    Environment Variables from:",
      "      settings:  ConfigMap  Optional: false",
      "    Environment:",
      "      COLOR:     blue",
      "      PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false",
      "      NODE:      (v1:spec.nodeName)",
      "    Mounts:",
      "      /cfg from cfg (ro)",
      "      /etc from cfg (rw)",
      '      /run from cfg (rw,path="a/b")',
      "Conditions:",
      "  Type    Status   Since   Reason               Message",
      "  Ready   False    60s     ContainersNotReady   containers with unready status: [web]",
      "Volumes:",
      "  cfg:",
      "    Type:      ConfigMap (a volume populated by a ConfigMap)",
      "    Name:      settings",
      "    Optional:  false",
      "QoS Class:  Burstable",
      "Explanation:",
      "  Readiness fails",
      "  It restarted",
      "Last Decision:",
      "  Made:  Mon, 01 Jan 2024 00:59:30 +0000 (30s ago)",
      "  Plan:  keep sandbox",
      "  Why:   nothing to do",
      "  Next:  settled",
      "Events:",
      "  Type      Reason    Age                 From      Message",
      "  Warning   BackOff   60s (x3 over 10m)   kubelet   Back-off restarting",
      "",
    ],
  );
});

Deno.test("describeReport() writes what failed, and of which container", () => {
  const failures = [
    { container: "web", reason: "RunContainerError", message: "no such file" },
    { reason: "CreatePodSandboxError", message: "no network" },
  ];
  const decision = {
    time: "2024-01-01T00:59:30Z",
    why: ["it is missing"],
    failures,
    next: { kind: "settled" },
  } as const;
  const text = describeReport({ ...WHOLE, decision }, UTC);
  match(
    text,
    /Failed: +web: RunContainerError: no such file\n +CreatePodSandboxError: no network\n/,
  );
});

Deno.test("describeReport() writes times by the local clock", () => {
  const text = describeReport(WHOLE, { utcOffsetMs: -3.5 * 3_600_000 });
  ok(text.includes("Sun, 31 Dec 2023 20:30:00 -0330"), text);
});

Deno.test("describeReport() writes a pod of which only the name is known", () => {
  const text = describeReport(
    report({
      pod: shownPod("web-n1", {
        uid: "",
        containers: [],
        status: { phase: "Failed", reason: "InvalidManifest", message: "m" },
      }),
    }),
    UTC,
  );
  ok(text.includes("Reason:         InvalidManifest\n"), text);
  match(text, /^Volumes: +<none>$/m);
  ok(text.endsWith("Events:  <none>\n"), text);
});

Deno.test("describeReport() lets nothing move the cursor", () => {
  const text = describeReport(
    report({
      pod: shownPod("web-n1", {
        status: { phase: "Failed", message: "\u001b[2Jgone\u202e\u0007" },
      }),
      explanation: ["a\u001b[31mb"],
    }),
    UTC,
  );
  strictEqual(/[^\P{Cc}\n]|\u202e/u.exec(text), null);
});

const PROBES: readonly (readonly [Probe, string])[] = [
  [
    { exec: { command: ["cat", "/x"] }, initialDelaySeconds: 5 },
    "exec [cat /x] delay=5s timeout=1s period=10s #success=1 #failure=3",
  ],
  [
    { httpGet: { scheme: "HTTPS", host: "h", port: "web", path: "/a" } },
    "http-get https://h:web/a delay=0s timeout=1s period=10s #success=1 #failure=3",
  ],
  [
    { tcpSocket: { port: 1 }, timeoutSeconds: 2, failureThreshold: 1 },
    "tcp-socket :1 delay=0s timeout=2s period=10s #success=1 #failure=1",
  ],
  [
    { grpc: { port: 1, service: "s" }, periodSeconds: 3, successThreshold: 2 },
    "grpc <pod>:1 s delay=0s timeout=1s period=3s #success=2 #failure=3",
  ],
  [
    {},
    "unknown delay=0s timeout=1s period=10s #success=1 #failure=3",
  ],
];

for (const [probe, wanted] of PROBES) {
  // Upstream: staging/src/k8s.io/kubectl/pkg/describe DescribeProbe.
  Deno.test(`probeText() writes ${wanted.split(" ")[0]}`, () => {
    strictEqual(probeText(probe), wanted);
  });
}

Deno.test("describeReport() cuts annotations as kubectl does, and leaves out a copy of the manifest", () => {
  const annotations = {
    "example.com/short": "one line\n",
    "example.com/long": `${"x".repeat(200)}\nsecond`,
    "kubectl.kubernetes.io/last-applied-configuration": '{"secret":1}',
  };
  const lines = describeReport(
    report({ pod: shownPod("a", { annotations }) }),
    UTC,
  )
    .split("\n");
  const first = lines.findIndex((line) => line.startsWith("Annotations:"));
  deepStrictEqual(lines.slice(first, first + 5).map((line) => line.slice(16)), [
    "example.com/long:",
    `  ${"x".repeat(138)}...`,
    "  second",
    "example.com/short: one line",
    "Unknown",
  ]);
});

Deno.test("fieldLines() keeps what others wrote in its place", () => {
  deepStrictEqual(
    fieldLines([["a\nb", "x\u001by"], ["longer", ["1", "2\n3"]]]),
    ["a b:     x y", "longer:  1", "         2", "         3"],
  );
});

Deno.test("fieldLines() takes as many fields as a manifest may hold", () => {
  const fields = Array.from(
    { length: 200_000 },
    (_, index) => [`A${index}`, ""] as const,
  );
  strictEqual(fieldLines(fields).length, fields.length);
});

Deno.test("cleanLine() turns what moves the cursor into blanks", () => {
  strictEqual(cleanLine("a\u001b[1mb\r\nc\u0085d\u2066e"), "a [1mb c d e");
});
