/**
 * Rows of containers, their hooks and ports.
 *
 * @module
 */

import {
  container,
  done,
  refused,
  shownBy,
  type TypeRows,
  volume,
} from "./row.ts";

const HTTP = { httpGet: { port: 80 } };
const PORT = { containerPort: 80, hostPort: 8080 };
const RULE = {
  action: "Restart",
  exitCodes: { operator: "In", values: [42] },
};
const HOOKS = "tests/component/runtime/execute_test.ts";

/** An app container, an init container or a sidecar. */
export const CONTAINER: TypeRows = {
  args: done("container", "", container({ args: ["-v"] })),
  command: done("container", "", container({ command: ["/app"] })),
  env: done("container", "", container({ env: [{ name: "A", value: "1" }] })),
  envFrom: done(
    "container",
    "",
    container({ envFrom: [{ configMapRef: { name: "settings" } }] }),
  ),
  image: done("container", "", container({}), "localhost/other:1"),
  imagePullPolicy: done("pull", "", container({ imagePullPolicy: "Never" })),
  lifecycle: done(
    "container",
    "app containers and sidecars",
    container({ lifecycle: { preStop: { sleep: { seconds: 1 } } } }),
  ),
  livenessProbe: done(
    "probes",
    "app containers and sidecars",
    container({ livenessProbe: HTTP }),
  ),
  name: done("container", "", container({}), "d"),
  ports: done("sandbox", "", container({ ports: [PORT] })),
  readinessProbe: done(
    "probes",
    "app containers and sidecars",
    container({ readinessProbe: HTTP }),
  ),
  resizePolicy: done(
    "resize",
    "a pod with a `metadata.uid` of its own is resized in place, any other is replaced",
    container({
      resizePolicy: [{
        resourceName: "memory",
        restartPolicy: "RestartContainer",
      }],
      resources: { limits: { memory: "1Gi" } },
    }),
  ),
  resources: done(
    "container",
    "",
    container({ resources: { limits: { memory: "1Gi" } } }),
  ),
  restartPolicy: done("plan", "", container({ restartPolicy: "Never" })),
  restartPolicyRules: done(
    "plan",
    "",
    container({ restartPolicy: "Never", restartPolicyRules: [RULE] }),
  ),
  securityContext: done(
    "container",
    "",
    container({ securityContext: { privileged: true } }),
  ),
  startupProbe: done(
    "probes",
    "app containers and sidecars",
    container({ startupProbe: HTTP }),
  ),
  stdin: done("container", "", container({ stdin: true })),
  stdinOnce: done("container", "", container({ stdin: true, stdinOnce: true })),
  terminationMessagePath: done(
    "container",
    "",
    container({ terminationMessagePath: "/last-words" }),
  ),
  terminationMessagePolicy: done(
    "container",
    "",
    container({ terminationMessagePolicy: "FallbackToLogsOnError" }),
  ),
  tty: done("container", "", container({ tty: true })),
  volumeDevices: refused(
    "Not supported: the node offers no block devices as volumes",
    container(
      { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
      { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
    ),
  ),
  volumeMounts: done("container", "", volume({ hostPath: { path: "/srv" } })),
  workingDir: done("container", "", container({ workingDir: "/srv" })),
};

const preStop = (handler: Readonly<Record<string, unknown>>) =>
  container({ lifecycle: { preStop: handler } });
const rules = (rule: Readonly<Record<string, unknown>>) =>
  container({ restartPolicy: "Never", restartPolicyRules: [rule] });
const resize = (policy: Readonly<Record<string, unknown>>) =>
  container({
    resizePolicy: [policy],
    resources: { limits: { cpu: "500m", memory: "1Gi" } },
  });

/** The types below a container, but for its environment, security and mounts. */
export const CONTAINER_PARTS: Readonly<Record<string, TypeRows>> = {
  ContainerPort: {
    containerPort: done(
      "sandbox",
      "",
      container({ ports: [PORT] }),
      81,
    ),
    hostIP: done(
      "sandbox",
      "",
      container({ ports: [{ ...PORT, hostIP: "192.0.2.1" }] }),
    ),
    hostPort: done(
      "sandbox",
      "no two pods of a node can have the same with the same protocol and address",
      container({ ports: [PORT] }),
    ),
    name: done(
      "container",
      "probes and hooks can use it",
      container({ ports: [{ ...PORT, name: "web" }] }),
    ),
    protocol: done(
      "sandbox",
      "",
      container({ ports: [{ ...PORT, protocol: "UDP" }] }),
    ),
  },
  ContainerResizePolicy: {
    resourceName: done(
      "resize",
      "",
      resize({ resourceName: "memory", restartPolicy: "RestartContainer" }),
      "cpu",
    ),
    restartPolicy: done(
      "resize",
      "",
      resize({ resourceName: "memory", restartPolicy: "RestartContainer" }),
      "NotRequired",
    ),
  },
  ContainerRestartRule: {
    action: done("plan", "", rules(RULE), "RestartAllContainers"),
    exitCodes: done("plan", "", rules(RULE), {
      operator: "In",
      values: [1],
    }),
  },
  ContainerRestartRuleOnExitCodes: {
    operator: done("plan", "", rules(RULE), "NotIn"),
    values: done("plan", "", rules(RULE), [1]),
  },
  Lifecycle: {
    postStart: done(
      shownBy(
        HOOKS,
        "runs a postStart hook and kills the container when it fails",
      ),
      "",
      container({ lifecycle: { postStart: { sleep: { seconds: 1 } } } }),
    ),
    preStop: done("container", "", preStop({ sleep: { seconds: 1 } })),
    stopSignal: done(
      "container",
      "wants `spec.os.name`; an event says so when the runtime passes over it",
      container(
        { lifecycle: { stopSignal: "SIGINT" } },
        { os: { name: "linux" } },
      ),
    ),
  },
  LifecycleHandler: {
    exec: done("container", "", preStop({ exec: { command: ["/bye"] } }), {
      command: ["/other"],
    }),
    httpGet: done("container", "", preStop({ httpGet: { port: 80 } }), {
      port: 81,
    }),
    sleep: done("container", "", preStop({ sleep: { seconds: 1 } }), {
      seconds: 2,
    }),
    tcpSocket: done(
      "container",
      "a hook of this kind fails when it is run, as with the kubelet",
      preStop({ tcpSocket: { port: 80 } }),
      { port: 81 },
    ),
  },
  ExecAction: {
    command: done("container", "", preStop({ exec: { command: ["/bye"] } }), [
      "/other",
    ]),
  },
  HTTPGetAction: {
    host: done(
      "container",
      "only inside the grants of the process",
      preStop({ httpGet: { port: 80, host: "10.88.0.9" } }),
    ),
    httpHeaders: done(
      "container",
      "",
      preStop({
        httpGet: { port: 80, httpHeaders: [{ name: "X-A", value: "b" }] },
      }),
    ),
    path: done("container", "", preStop({ httpGet: { port: 80, path: "/x" } })),
    port: done("container", "", preStop({ httpGet: { port: 80 } }), 81),
    scheme: done(
      "container",
      "",
      preStop({ httpGet: { port: 80, scheme: "HTTPS" } }),
    ),
  },
  HTTPHeader: {
    name: done(
      "container",
      "",
      preStop({
        httpGet: { port: 80, httpHeaders: [{ name: "X-A", value: "b" }] },
      }),
      "X-B",
    ),
    value: done(
      "container",
      "",
      preStop({
        httpGet: { port: 80, httpHeaders: [{ name: "X-A", value: "b" }] },
      }),
    ),
  },
  SleepAction: {
    seconds: done("container", "", preStop({ sleep: { seconds: 1 } }), 2),
  },
  ResourceClaim: {
    name: refused(
      "Forbidden: static pods may not reference resource claims: there is no API server to ask",
      container({ resources: { claims: [{ name: "gpu" }] } }),
    ),
    request: refused(
      "Forbidden: static pods may not reference resource claims: there is no API server to ask",
      container({ resources: { claims: [{ name: "gpu", request: "r" }] } }),
    ),
  },
  VolumeDevice: {
    devicePath: refused(
      "Not supported: the node offers no block devices as volumes",
      container(
        { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
        { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
      ),
    ),
    name: refused(
      "Not supported: the node offers no block devices as volumes",
      container(
        { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
        { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
      ),
    ),
  },
  VolumeMount: {
    mountPath: done(
      "container",
      "not `/`; a relative path counts from `/`",
      volume({ hostPath: { path: "/srv" } }),
      "w",
    ),
    mountPropagation: done(
      "container",
      "`Bidirectional` for privileged containers only",
      volume({ hostPath: { path: "/srv" } }, {
        mountPropagation: "HostToContainer",
      }),
    ),
    name: done(
      "container",
      "",
      container(
        { volumeMounts: [{ name: "v", mountPath: "/v" }] },
        {
          volumes: [
            { name: "v", hostPath: { path: "/srv" } },
            { name: "w", hostPath: { path: "/other" } },
          ],
        },
      ),
      "w",
    ),
    readOnly: done(
      "container",
      "",
      volume({ hostPath: { path: "/srv" } }, { readOnly: true }),
    ),
    recursiveReadOnly: done(
      "container",
      "`Enabled` is refused at the start when the runtime cannot do it",
      volume({ hostPath: { path: "/srv" } }, {
        readOnly: true,
        recursiveReadOnly: "Enabled",
      }),
    ),
    subPath: done(
      "container",
      "checked part by part and again after the start",
      volume({ hostPath: { path: "/srv" } }, { subPath: "x" }),
    ),
    subPathExpr: done(
      "container",
      "as `subPath`",
      volume({ hostPath: { path: "/srv" } }, { subPathExpr: "x" }),
    ),
  },
};
