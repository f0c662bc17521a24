/**
 * What the runtime remembers of a lost pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  groupByPod,
  nothingListed,
} from "../../../../mod/runtime/observe/list_pods.ts";
import { restorePod } from "../../../../mod/runtime/observe/restore_pod.ts";
import { containerRow, sandboxRow } from "../../../support/runtime_rows.ts";

function restore(annotations: Readonly<Record<string, string>>) {
  const { pods } = groupByPod(
    [sandboxRow("u-1")],
    [containerRow("u-1", { annotations })],
  );
  const listing = pods.get("u-1");
  if (listing === undefined) throw new Error("Cannot go on: no such pod");
  return restorePod(listing);
}

Deno.test("restorePod() restores names and the recorded grace", () => {
  const { metadata, spec } = restore({
    "io.kubernetes.pod.terminationGracePeriod": "45",
    "io.kubernetes.pod.deletionGracePeriod": "12",
  });
  deepStrictEqual(metadata, {
    name: "web",
    namespace: "shop",
    uid: "u-1",
    deletionGracePeriodSeconds: 12,
  });
  strictEqual(spec.terminationGracePeriodSeconds, 45);
});

const PRE_STOP = "io.kubernetes.container.preStopHandler";
const HOOKS = [
  ['{"exec":{"command":["sh","-c","bye"]}}', {
    exec: { command: ["sh", "-c", "bye"] },
  }],
  ['{"sleep":{"seconds":3}}', { sleep: { seconds: 3 } }],
  ['{"sleep":{"seconds":0}}', { sleep: { seconds: 0 } }],
  ['{"httpGet":{"path":"/bye","port":8080,"scheme":"HTTPS"}}', {
    httpGet: { port: 8080, path: "/bye", scheme: "HTTPS" },
  }],
  [
    '{"httpGet":{"port":"admin","host":"10.0.0.1","httpHeaders":[{"name":"A","value":"b"},{"name":1}]}}',
    {
      httpGet: {
        port: "admin",
        host: "10.0.0.1",
        httpHeaders: [{ name: "A", value: "b" }],
      },
    },
  ],
  ['{"httpGet":{"port":true}}', undefined],
  ['{"exec":{"command":"sh"}}', undefined],
  ['{"sleep":{"seconds":-3}}', undefined],
  ["null", undefined],
  ["not json", undefined],
] as const;

for (const [text, expected] of HOOKS) {
  Deno.test(`restorePod() reads the hook ${text}`, () => {
    const { spec } = restore({ [PRE_STOP]: text });
    deepStrictEqual(spec.containers[0]?.lifecycle?.preStop, expected);
  });
}

Deno.test("restorePod() restores the ports that a hook may name", () => {
  const { spec } = restore({
    [PRE_STOP]: '{"httpGet":{"port":"admin"}}',
    "io.kubernetes.container.ports":
      '[{"name":"admin","containerPort":8081,"protocol":"TCP"},{"containerPort":9}]',
  });
  deepStrictEqual(spec.containers[0]?.ports, [
    { name: "admin", containerPort: 8081 },
  ]);
});

Deno.test("restorePod() restores the ports of the node that a pod without hooks holds", () => {
  const { spec } = restore({
    "io.kubernetes.container.ports":
      '[{"hostPort":8080,"containerPort":80,"protocol":"UDP","hostIP":"192.0.2.1"},{"name":"web","hostPort":81,"containerPort":81},{"containerPort":9},{"hostPort":"82","containerPort":82},{"hostPort":83}]',
  });
  deepStrictEqual(spec.containers[0]?.lifecycle, undefined);
  deepStrictEqual(spec.containers[0]?.ports, [
    {
      containerPort: 80,
      hostPort: 8080,
      protocol: "UDP",
      hostIP: "192.0.2.1",
    },
    { name: "web", containerPort: 81, hostPort: 81 },
  ]);
});

Deno.test("restorePod() takes the longest of the graces that can be read", () => {
  const grace = "io.kubernetes.pod.terminationGracePeriod";
  const row = (id: string, annotations: Readonly<Record<string, string>>) =>
    containerRow("u-1", { id, annotations });
  const { pods } = groupByPod([], [
    row("a", { [grace]: "20" }),
    row("b", { [grace]: "45" }),
    row("c", { [grace]: "a long time" }),
    row("d", { [grace]: "1234567890" }),
    row("e", {}),
  ]);
  const listing = pods.get("u-1");
  const { metadata, spec } = restorePod(listing ?? nothingListed("u-1"));
  strictEqual(spec.terminationGracePeriodSeconds, 45);
  deepStrictEqual(Object.keys(metadata), ["name", "namespace", "uid"]);
  deepStrictEqual(
    Object.keys(restorePod(nothingListed("u-1")).spec),
    ["containers"],
  );
});

Deno.test("restorePod() has each container once, as it was made last", () => {
  const ports = "io.kubernetes.container.ports";
  const label = "io.kubernetes.container.name";
  const row = (id: string, name: string, port: number) => {
    const { labels, ...rest } = containerRow("u-1", { id });
    return {
      ...rest,
      labels: { ...labels, [label]: name },
      annotations: {
        [ports]: `[{"hostPort":${port},"containerPort":${port}}]`,
      },
    };
  };
  const { pods } = groupByPod([], [
    row("a1", "a", 81),
    row("b", "b", 82),
    row("a0", "a", 80),
  ]);
  const { spec } = restorePod(pods.get("u-1") ?? nothingListed("u-1"));
  deepStrictEqual(
    spec.containers.map((one) => [one.name, one.ports?.[0]?.hostPort]),
    [["a", 81], ["b", 82]],
  );
});
