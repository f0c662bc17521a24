/**
 * Tests of a container's mounts.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  strictEqual,
  throws,
} from "node:assert/strict";
import type {
  ContainerSpec,
  VolumeMount,
} from "../../../../mod/api/types/mod.ts";
import type { Mount } from "../../../../mod/cri/config/mod.ts";
import { mountAbilities } from "../../../../mod/runtime/spec/runtime_handler.ts";
import {
  containerMounts,
  wantedImages,
  wantedSubPaths,
} from "../../../../mod/runtime/spec/mount_spec.ts";
import type {
  ContainerSpecInput,
  MountAbilities,
} from "../../../../mod/runtime/spec/spec_input.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { container, pod } from "../../../support/pods.ts";
import { containerInput } from "../../../support/runtime/spec_inputs.ts";

const VOLUMES: ContainerSpecInput["volumes"] = new Map([
  ["data", { hostPath: "/srv/data", readOnly: false }],
  ["fixed", { hostPath: "/srv/fixed", readOnly: true }],
]);

function mountsOf(
  fields: Partial<ContainerSpec>,
  files: Pick<ContainerSpecInput, "hostsFile" | "terminationLog"> = {},
): readonly Mount[] {
  return containerMounts(containerInput({
    container: container("c", fields),
    volumes: VOLUMES,
    ...files,
  }));
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
  {
    mount: { mountPath: "../a:b/./c/" },
    expected: { containerPath: "/a:b/c" },
  },
  { mount: { mountPath: "/a/../b" }, expected: { containerPath: "/a/../b" } },
];

for (const { mount, expected } of OPTIONS) {
  Deno.test(`containerMounts() honours ${JSON.stringify(mount)}`, () => {
    const volumeMounts = [{ name: "data", mountPath: "/d", ...mount }];
    deepStrictEqual(mountsOf({ volumeMounts }), [
      { containerPath: "/d", hostPath: "/srv/data", ...expected },
    ]);
  });
}

const ABLE: MountAbilities = {
  runtime: 'runtime "containerd" 2.1.0',
  recursiveReadOnly: true,
  imageVolumes: true,
};
const UNABLE: MountAbilities = {
  runtime: 'runtime "containerd" 1.6.20',
  recursiveReadOnly: false,
  imageVolumes: false,
};

const RECURSIVE: readonly {
  readonly mount: Partial<VolumeMount>;
  readonly abilities: MountAbilities;
  readonly expected: Partial<Mount> | RegExp;
}[] = [
  {
    mount: { readOnly: true, recursiveReadOnly: "Enabled" },
    abilities: ABLE,
    expected: { readonly: true, recursiveReadOnly: true },
  },
  {
    mount: { readOnly: true, recursiveReadOnly: "Enabled" },
    abilities: UNABLE,
    expected:
      /"recursiveReadOnly" is "Enabled", and runtime "containerd" 1\.6\.20 does not support it/,
  },
  {
    mount: { readOnly: true, recursiveReadOnly: "IfPossible" },
    abilities: ABLE,
    expected: { readonly: true, recursiveReadOnly: true },
  },
  {
    mount: { readOnly: true, recursiveReadOnly: "IfPossible" },
    abilities: UNABLE,
    expected: { readonly: true },
  },
  {
    mount: { recursiveReadOnly: "Disabled" },
    abilities: ABLE,
    expected: {},
  },
  {
    mount: { recursiveReadOnly: "IfPossible" },
    abilities: ABLE,
    expected: /"readOnly" is not true/,
  },
  {
    mount: {
      readOnly: true,
      recursiveReadOnly: "Enabled",
      mountPropagation: "HostToContainer",
    },
    abilities: ABLE,
    expected: /"mountPropagation" is "HostToContainer", wanted "None"/,
  },
  {
    mount: { readOnly: true, recursiveReadOnly: "Sometimes" },
    abilities: UNABLE,
    expected: /is "Sometimes", wanted "Disabled", "IfPossible" or "Enabled"/,
  },
];

for (const { mount, abilities, expected } of RECURSIVE) {
  Deno.test(`containerMounts() answers ${JSON.stringify(mount)} on ${abilities.runtime} (VO-12)`, () => {
    const volumeMounts = [{ name: "data", mountPath: "/d", ...mount }];
    const mounts = () =>
      containerMounts(containerInput({
        container: container("c", { volumeMounts }),
        volumes: VOLUMES,
        abilities,
      }));
    if (expected instanceof RegExp) {
      throws(mounts, expected);
      return;
    }
    deepStrictEqual(mounts(), [
      { containerPath: "/d", hostPath: "/srv/data", ...expected },
    ]);
  });
}

Deno.test("containerMounts() mounts a sub-path where it was found (VO-03)", () => {
  const volumeMounts = [
    { name: "data", mountPath: "/a", subPath: "x/y" },
    { name: "data", mountPath: "/b", subPathExpr: "$(POD)" },
    { name: "fixed", mountPath: "/c", subPath: "z" },
  ];
  const mounts = containerMounts(containerInput({
    container: container("c", { volumeMounts }),
    volumes: VOLUMES,
    subPaths: new Map([["/a", "/srv/data/x/y"], ["/b", "/srv/data/web"], [
      "/c",
      "/srv/fixed/z",
    ]]),
  }));
  deepStrictEqual(mounts, [
    { containerPath: "/a", hostPath: "/srv/data/x/y" },
    { containerPath: "/b", hostPath: "/srv/data/web" },
    { containerPath: "/c", hostPath: "/srv/fixed/z", readonly: true },
  ]);
});

const ENVIRONMENT = new Map([
  ["POD", "web"],
  ["UP", "../../etc"],
  ["LONG", "x".repeat(4096)],
]);

Deno.test("wantedSubPaths() names what is to be found, expanded (VO-03)", () => {
  const volumeMounts = [
    { name: "data", mountPath: "/whole" },
    { name: "data", mountPath: "/a", subPath: "x/$(POD)" },
    {
      name: "fixed",
      mountPath: "/b",
      subPathExpr: "$(POD)/$$(POD)",
      readOnly: true,
    },
  ];
  const environment = ENVIRONMENT;
  deepStrictEqual(
    wantedSubPaths({ volumeMounts }, { volumes: VOLUMES, environment }),
    [
      {
        mountPath: "/a",
        volume: "data",
        volumeRoot: "/srv/data",
        subPath: "x/$(POD)",
        written: "x/$(POD)",
        readOnly: false,
      },
      {
        mountPath: "/b",
        volume: "fixed",
        volumeRoot: "/srv/fixed",
        subPath: "web/$(POD)",
        written: "$(POD)/$$(POD)",
        readOnly: true,
      },
    ],
  );
});

const BAD_PATHS: readonly (readonly [
  mount: Partial<VolumeMount>,
  message: RegExp,
])[] = [
  [{ subPath: "/abs" }, /is absolute/],
  [{ subPath: "../x" }, /is not within the volume/],
  [{ subPath: "a/../../b" }, /is not within the volume/],
  [{ subPathExpr: "$(UP)" }, /"\$\(UP\)" is not within the volume/],
  [{ subPathExpr: "/$(POD)" }, /is absolute/],
  [{ subPathExpr: "a/$(NOPE)/$(NEITHER)" }, /names variable "NOPE"/],
  [{ subPath: "a\0b" }, /NUL/],
  [{ subPathExpr: "$(LONG)" }, /has 4096 characters, wanted at most 4095/],
];

for (const [mount, message] of BAD_PATHS) {
  Deno.test(`wantedSubPaths() refuses ${JSON.stringify(mount)} (VO-04)`, () => {
    const volumeMounts = [{ name: "data", mountPath: "/d", ...mount }];
    const options = { volumes: VOLUMES, environment: ENVIRONMENT };
    throws(() => wantedSubPaths({ volumeMounts }, options), message);
  });
}

const IMAGE_POD = pod({
  volumes: [
    { name: "model", image: { reference: "example/m:1", pullPolicy: "Never" } },
    { name: "other", image: { reference: "example/o:1" } },
  ],
});
const IMAGE_MOUNTS = [
  { name: "model", mountPath: "/m", subPathExpr: "$(POD)", readOnly: true },
  { name: "model", mountPath: "/n" },
];

Deno.test("wantedImages() names the images that the container mounts", () => {
  const wanting = { volumeMounts: IMAGE_MOUNTS };
  deepStrictEqual(wantedImages(IMAGE_POD, wanting, ABLE), [
    { volume: "model", reference: "example/m:1", pullPolicy: "Never" },
  ]);
  throws(
    () => wantedImages(IMAGE_POD, wanting, UNABLE),
    /runtime "containerd" 1\.6\.20 mounts no images, wanted containerd 2\.1 or CRI-O 1\.31/,
  );
  deepStrictEqual(wantedImages(IMAGE_POD, {}, UNABLE), []);
});

Deno.test("containerMounts() mounts images", () => {
  const image = { image: "sha256:1", userSpecifiedImage: "example/m:1" };
  const mounts = containerMounts(containerInput({
    container: container("c", { volumeMounts: IMAGE_MOUNTS }),
    volumes: VOLUMES,
    imageVolumes: new Map([["model", image]]),
    environment: ENVIRONMENT,
  }));
  deepStrictEqual(mounts, [
    { containerPath: "/m", hostPath: "", image, imageSubPath: "web" },
    { containerPath: "/n", hostPath: "", image },
  ]);
});

const VERSIONS: readonly (readonly [
  name: string,
  version: string,
  imageVolumes: boolean,
])[] = [
  ["containerd", "1.6.20~ds1", false],
  ["containerd", "v2.0.5", false],
  ["containerd", "v2.1.0-rc.1", true],
  ["containerd", "3.0.0", true],
  ["cri-o", "1.30.9", false],
  ["cri-o", "1.31.0", true],
  ["other", "9.9", false],
  ["containerd", "unknown", false],
];

for (const [runtimeName, runtimeVersion, imageVolumes] of VERSIONS) {
  Deno.test(`mountAbilities() judges images on ${runtimeName} ${runtimeVersion}`, () => {
    const abilities = mountAbilities({
      version: { runtimeName, runtimeVersion },
      handlers: [],
      supplementalGroupsPolicy: false,
    }, "");
    strictEqual(abilities.imageVolumes, imageVolumes);
    match(abilities.runtime, new RegExp(runtimeName));
  });
}

Deno.test("mountAbilities() asks the pod's own handler for recursive read-only mounts (VO-12)", () => {
  const handler = (name: string, recursiveReadOnlyMounts: boolean) => ({
    name,
    recursiveReadOnlyMounts,
    userNamespaces: false,
  });
  const runtime = {
    handlers: [handler("", true), handler("kata", false)],
    supplementalGroupsPolicy: false,
  };
  const judge = (name: string) => mountAbilities(runtime, name);
  strictEqual(judge("").recursiveReadOnly, true);
  strictEqual(judge("kata").recursiveReadOnly, false);
  strictEqual(judge("none").recursiveReadOnly, false);
  const unknown = {
    runtime: "the runtime",
    recursiveReadOnly: false,
    imageVolumes: false,
  };
  deepStrictEqual(mountAbilities(undefined, ""), unknown);
  // Nor is anything known of one that has not told its version.
  deepStrictEqual(mountAbilities(runtime, "none"), unknown);
});

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
