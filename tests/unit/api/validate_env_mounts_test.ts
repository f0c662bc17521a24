/**
 * @module
 */

import {
  type Parts,
  type RefusedRow,
  type TakenRow,
  testRefused,
  testTaken,
} from "../../support/api/rows.ts";

const C = "spec.containers[0]";

function env(...env: readonly unknown[]): Parts {
  return { container: { env } };
}

function from(valueFrom: unknown): Parts {
  return env({ name: "A", valueFrom });
}

function mount(mount: Record<string, unknown>, container = {}): Parts {
  return {
    spec: { volumes: [{ name: "v", emptyDir: {} }] },
    container: {
      ...container,
      volumeMounts: [{ name: "v", mountPath: "/v", ...mount }],
    },
  };
}

testRefused([
  ...["A=B", "a\n", "ä"].map((
    name,
  ): RefusedRow => [
    `the variable ${JSON.stringify(name)}`,
    env({ name, value: "x" }),
    `${C}.env[0].name`,
    /Invalid value/,
  ]),
  [
    "a variable without name",
    env({ name: "", value: "x" }),
    `${C}.env[0].name`,
    /Required/,
  ],
  [
    "a value from nowhere",
    from({}),
    `${C}.env[0].valueFrom`,
    /must specify source/,
  ],
  [
    "a value from two places",
    from({
      fieldRef: { fieldPath: "metadata.name" },
      secretKeyRef: { name: "s", key: "k" },
    }),
    `${C}.env[0].valueFrom.secretKeyRef`,
    /may not specify more than 1/,
  ],
  [
    "a value beside valueFrom",
    env({
      name: "A",
      value: "x",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    }),
    `${C}.env[0].valueFrom`,
    /`value` is not empty/,
  ],
  [
    "an unknown field",
    from({ fieldRef: { fieldPath: "spec.x" } }),
    `${C}.env[0].valueFrom.fieldRef.fieldPath`,
    /Unsupported value: "spec.x"/,
  ],
  [
    "all labels in a variable",
    from({ fieldRef: { fieldPath: "metadata.labels" } }),
    `${C}.env[0].valueFrom.fieldRef.fieldPath`,
    /Unsupported/,
  ],
  [
    "an unknown resource",
    from({ resourceFieldRef: { resource: "limits.disk" } }),
    `${C}.env[0].valueFrom.resourceFieldRef.resource`,
    /Unsupported/,
  ],
  [
    "an odd divisor",
    from({ resourceFieldRef: { resource: "limits.cpu", divisor: "3" } }),
    `${C}.env[0].valueFrom.resourceFieldRef.divisor`,
    /Unsupported/,
  ],
  [
    "the resources of a container that is not there",
    from({ resourceFieldRef: { containerName: "x", resource: "limits.cpu" } }),
    `${C}.env[0].valueFrom.resourceFieldRef.containerName`,
    /no container/,
  ],
  [
    "a key that is no name of a file",
    from({ configMapKeyRef: { name: "c", key: ".." } }),
    `${C}.env[0].valueFrom.configMapKeyRef.key`,
    /Invalid value/,
  ],
  [
    "an envFrom without source",
    { container: { envFrom: [{ prefix: "A" }] } },
    `${C}.envFrom[0]`,
    /must specify/,
  ],

  [
    "a mount of no volume",
    { container: { volumeMounts: [{ name: "x", mountPath: "/x" }] } },
    `${C}.volumeMounts[0].name`,
    /Not found: "x"/,
  ],
  [
    "a mount without path",
    mount({ mountPath: "" }),
    `${C}.volumeMounts[0].mountPath`,
    /Required/,
  ],
  ...["/", "//", "/.", ".", "/a/..", "../..", "/a\0", "x".repeat(4096)].map((
    mountPath,
  ): RefusedRow => [
    `a mount on ${JSON.stringify(mountPath).slice(0, 20)}`,
    mount({ mountPath }),
    `${C}.volumeMounts[0].mountPath`,
    /Invalid value/,
  ]),
  [
    "two mounts on one path",
    {
      spec: { volumes: [{ name: "v" }] },
      container: {
        volumeMounts: [{ name: "v", mountPath: "/v" }, {
          name: "v",
          mountPath: "/v",
        }],
      },
    },
    `${C}.volumeMounts[1].mountPath`,
    /Duplicate/,
  ],
  ...["/abs", "..", "a/../b", "a\0", "x".repeat(4096)].map((
    subPath,
  ): RefusedRow => [
    `the subPath ${JSON.stringify(subPath).slice(0, 20)}`,
    mount({ subPath }),
    `${C}.volumeMounts[0].subPath`,
    /Invalid value/,
  ]),
  [
    "subPath and subPathExpr",
    mount({ subPath: "a", subPathExpr: "b" }),
    `${C}.volumeMounts[0].subPathExpr`,
    /subPath is set/,
  ],
  [
    "bidirectional mounts without privileges",
    mount({ mountPropagation: "Bidirectional" }),
    `${C}.volumeMounts[0].mountPropagation`,
    /Forbidden/,
  ],
  [
    "recursive read-only on what is writable",
    mount({ recursiveReadOnly: "Enabled" }),
    `${C}.volumeMounts[0].recursiveReadOnly`,
    /readOnly/,
  ],
  [
    "a block device of an emptyDir",
    {
      spec: { volumes: [{ name: "v" }] },
      container: { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
    },
    `${C}.volumeDevices[0].name`,
    /persistentVolumeClaim/,
  ],
  [
    "a block device of no volume",
    { container: { volumeDevices: [{ name: "x", devicePath: "/dev/x" }] } },
    `${C}.volumeDevices[0].name`,
    /Not found: "x"/,
  ],
  [
    "a variable from a file in no volume",
    from({ fileKeyRef: { volumeName: "x", path: "p", key: "k" } }),
    `${C}.env[0].valueFrom.fileKeyRef.volumeName`,
    /Not found: "x"/,
  ],
  [
    "a variable from a file in a volume of the node",
    {
      spec: { volumes: [{ name: "v", hostPath: { path: "/v" } }] },
      ...from({ fileKeyRef: { volumeName: "v", path: "p", key: "k" } }),
    },
    `${C}.env[0].valueFrom.fileKeyRef.volumeName`,
    /type emptyDir/,
  ],
]);

testTaken([
  ["a variable that begins with a digit", env({ name: "1x", value: "y" })],
  ["a value of a mebibyte", env({ name: "A", value: "x".repeat(1 << 20) })],
  [
    "10 000 variables",
    env(
      ...Array.from(
        { length: 10_000 },
        (_, i) => ({ name: `A${i}`, value: "$(B)" }),
      ),
    ),
  ],
  [
    "one label in a variable",
    from({ fieldRef: { fieldPath: "metadata.labels['a.b/c']" } }),
  ],
  [
    "resources with huge pages",
    from({
      resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "1Mi" },
    }),
  ],
  ["references to local objects", {
    container: {
      env: [{
        name: "A",
        valueFrom: { configMapKeyRef: { name: "c", key: "k" } },
      }],
      envFrom: [{ secretRef: { name: "s" } }],
    },
  }],
  // Upstream's ValidateVolumeMounts wants a path, and nothing of it.
  ...["rel", "/a:b", "/a/../b", "../b", "/..."].map((
    mountPath,
  ): TakenRow => [`a mount on ${mountPath}`, mount({ mountPath })]),
  [
    "bidirectional mounts with privileges",
    mount({ mountPropagation: "Bidirectional" }, {
      securityContext: { privileged: true },
    }),
  ],
]);
