import { deepStrictEqual } from "node:assert/strict";
import type { Pod, PodEvent } from "../../../mod/api/types/mod.ts";
import { checkManifestPod, judgePod } from "../../../mod/app/manifest_check.ts";
import { container, pod } from "../../support/pods.ts";

function check(
  of: Pod,
  options: { readonly current?: Pod; readonly found?: readonly string[] } = {},
): { readonly faults: readonly string[]; readonly events: readonly string[] } {
  const events: string[] = [];
  const faults = checkManifestPod(
    of,
    (options.found ?? []).map((field) => ({ field, message: "Odd", line: 3 })),
    {
      events: {
        record: (_, event: PodEvent) => {
          events.push(`${event.type} ${event.reason} ${event.message}`);
        },
      },
      network: { podNetworks: [], nodeAddresses: [] },
      current: (uid) =>
        options.current?.metadata.uid === uid ? options.current : undefined,
    },
  );
  return { faults: faults.map(({ field }) => field), events };
}

Deno.test("checkManifestPod() has nothing to say of a plain pod", () => {
  deepStrictEqual(check(pod()), { faults: [], events: [] });
});

Deno.test("checkManifestPod() refuses what the agent does not honour", () => {
  const volumes = [{ name: "v", nfs: { path: "/", server: "s" } }];
  deepStrictEqual(check(pod({ volumes })), {
    faults: ["spec.volumes[0].nfs"],
    events: [],
  });
});

Deno.test("checkManifestPod() tells by events what the pod will lack, and what is odd", () => {
  const securityContext = { windowsOptions: {} };
  deepStrictEqual(check(pod({ securityContext }), { found: ["spec.x"] }), {
    faults: [],
    events: [
      "Warning PodFeatureUnsupported spec.securityContext.windowsOptions: Has no effect: the node runs Linux",
      "Warning ManifestWarning line 3: spec.x: Odd",
    ],
  });
});

Deno.test("checkManifestPod() tells by an event that probes cannot be asked, and takes the pod", () => {
  const readinessProbe = { tcpSocket: { port: 80 } };
  const containers = [container("c", { readinessProbe })];
  const { faults, events } = check(pod({ containers }));
  deepStrictEqual(faults, []);
  deepStrictEqual(events, [
    "Warning ManifestWarning spec.containers[0].readinessProbe.tcpSocket: Cannot be asked: the agent reaches pods inside the networks given by --pod-network or podCIDR, found none",
  ]);
});

Deno.test("checkManifestPod() tells what of an edit a pod of a fixed UID cannot follow", () => {
  const { faults, events } = check(pod({ hostPID: true }), { current: pod() });
  deepStrictEqual(faults, []);
  deepStrictEqual(events, [
    "Warning FieldImmutable spec.hostPID: Forbidden: cannot change in a pod that keeps its UID; give the pod another metadata.uid, or none, and it is replaced",
  ]);
});

Deno.test("checkManifestPod() does not take what a class gave for an edit", () => {
  const current = pod({
    priority: 7,
    priorityClassName: "high",
    preemptionPolicy: "Never",
  });
  deepStrictEqual(check(pod(), { current }).events, []);
  deepStrictEqual(
    check(pod({ priority: 8 }), { current }).events.map((event) =>
      event.split(":")[0]
    ),
    ["Warning FieldImmutable spec.priority"],
  );
});

for (
  const [podNetworks, faults, warnings] of [
    [undefined, [], ["livenessProbe.tcpSocket"]],
    [[], ["readinessProbe.tcpSocket.host"], ["livenessProbe.tcpSocket"]],
    [["10.88.0.0/16"], ["readinessProbe.tcpSocket.host"], []],
    [["10.88.0.0/16", "192.0.2.0/24"], [], []],
  ] as const
) {
  Deno.test(`judgePod() judges probes by the networks ${podNetworks ?? "that are not known"}`, () => {
    const containers = [container("c", {
      livenessProbe: { tcpSocket: { port: 80 } },
      readinessProbe: { tcpSocket: { host: "192.0.2.1", port: 80 } },
    })];
    const verdict = judgePod(pod({ containers }), { podNetworks });
    const head = "spec.containers[0].";
    deepStrictEqual({
      faults: verdict.faults.map(({ field }) => field.replace(head, "")),
      warnings: verdict.warnings.map(({ field }) => field.replace(head, "")),
    }, { faults, warnings });
  });
}

Deno.test("judgePod() names what the agent does not honour, whatever the networks", () => {
  const verdict = judgePod(
    pod({
      securityContext: { windowsOptions: {} },
      volumes: [{ name: "v", nfs: { path: "/", server: "s" } }],
    }),
    {},
  );
  deepStrictEqual(
    [verdict.faults, verdict.warnings].map(([fault]) => fault?.field),
    ["spec.volumes[0].nfs", "spec.securityContext.windowsOptions"],
  );
});
