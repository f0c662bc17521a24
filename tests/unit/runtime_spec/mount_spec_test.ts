/**
 * Tests of a container's mounts.
 *
 * @module
 */

import { deepStrictEqual, throws } from "node:assert/strict";
import type { ContainerSpec, VolumeMount } from "../../../mod/api/mod.ts";
import type { Mount } from "../../../mod/cri/mod.ts";
import {
  containerMounts,
  type ContainerMountsInput,
} from "../../../mod/runtime/mount_spec.ts";
import { SpecRefusal } from "../../../mod/runtime/spec_refusal.ts";
import { container } from "./fixtures.ts";

const VOLUMES: ContainerMountsInput["volumes"] = new Map([
  ["data", { hostPath: "/srv/data", readOnly: false }],
  ["fixed", { hostPath: "/srv/fixed", readOnly: true }],
]);

function mountsOf(
  fields: Partial<ContainerSpec>,
  files: Pick<ContainerMountsInput, "hostsFile" | "terminationLog"> = {},
): readonly Mount[] {
  return containerMounts({
    container: container(fields),
    volumes: VOLUMES,
    ...files,
  });
}

const FILES = { hostsFile: "/pod/etc-hosts", terminationLog: "/pod/last" };

Deno.test("containerMounts() puts the hosts file and the termination log last", () => {
  const volumeMounts = [
    { name: "fixed", mountPath: "/b" },
    { name: "data", mountPath: "/a" },
  ];
  deepStrictEqual(mountsOf({ volumeMounts }, FILES), [
    { containerPath: "/b", hostPath: "/srv/fixed", readonly: true },
    { containerPath: "/a", hostPath: "/srv/data" },
    { containerPath: "/etc/hosts", hostPath: "/pod/etc-hosts" },
    { containerPath: "/dev/termination-log", hostPath: "/pod/last" },
  ]);
});

Deno.test("containerMounts() lets a container mount its own hosts file", () => {
  const volumeMounts = [{ name: "data", mountPath: "/etc/hosts" }];
  deepStrictEqual(mountsOf({ volumeMounts }, { hostsFile: "/pod/etc-hosts" }), [
    { containerPath: "/etc/hosts", hostPath: "/srv/data" },
  ]);
});

Deno.test("containerMounts() mounts the termination log where the container wants it", () => {
  const { terminationLog } = FILES;
  deepStrictEqual(
    mountsOf({ terminationMessagePath: "/tmp/last" }, { terminationLog }),
    [{ containerPath: "/tmp/last", hostPath: "/pod/last" }],
  );
});

Deno.test("containerMounts() mounts nothing that was not given", () => {
  deepStrictEqual(mountsOf({}), []);
});

const OPTIONS: readonly {
  readonly mount: Partial<VolumeMount>;
  readonly expected: Partial<Mount>;
}[] = [
  { mount: { readOnly: true }, expected: { readonly: true } },
  { mount: { readOnly: false }, expected: {} },
  { mount: { mountPropagation: "None" }, expected: {} },
  {
    mount: { mountPropagation: "HostToContainer" },
    expected: { propagation: "host_to_container" },
  },
  {
    mount: { mountPropagation: "Bidirectional" },
    expected: { propagation: "bidirectional" },
  },
  {
    mount: { readOnly: true, recursiveReadOnly: "IfPossible" },
    expected: { readonly: true },
  },
  { mount: { mountPath: "rel" }, expected: { containerPath: "/rel" } },
];

for (const { mount, expected } of OPTIONS) {
  Deno.test(`containerMounts() honours ${JSON.stringify(mount)}`, () => {
    const volumeMounts = [{ name: "data", mountPath: "/d", ...mount }];
    deepStrictEqual(mountsOf({ volumeMounts }), [
      { containerPath: "/d", hostPath: "/srv/data", ...expected },
    ]);
  });
}

const REFUSED: readonly Partial<VolumeMount>[] = [
  { name: "absent" },
  { subPath: "x/y" },
  { subPathExpr: "$(A)" },
  { readOnly: true, recursiveReadOnly: "Enabled" },
  { mountPropagation: "Sideways" },
];

for (const mount of REFUSED) {
  Deno.test(`containerMounts() refuses ${JSON.stringify(mount)}`, () => {
    const volumeMounts = [{ name: "data", mountPath: "/d", ...mount }];
    throws(() => mountsOf({ volumeMounts }), SpecRefusal);
  });
}

Deno.test("containerMounts() refuses a block volume", () => {
  const volumeDevices = [{ name: "data", devicePath: "/dev/xvda" }];
  throws(() => mountsOf({ volumeDevices }), SpecRefusal);
});
