/**
 * Tests of what the volumes decide without touching the disk.
 *
 * @module
 */

import { mountFailure } from "../../../mod/volume/mod.ts";
import {
  deepStrictEqual,
  match,
  strictEqual,
  throws,
} from "node:assert/strict";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NO_OBJECTS } from "../../support/no_objects.ts";
import type { Pod, Volume } from "../../../mod/api/types/mod.ts";
import { PodDirectories } from "../../../mod/volume/pod_directories.ts";
import { PodVolumes } from "../../../mod/volume/pod_volumes.ts";
import { container, pod } from "../../support/pods.ts";

const FILES = {
  removeTree: () => Promise.reject(new Error("not to be called")),
};

const DIRECTORIES = new PodDirectories(
  { rootDir: "/state", runDir: "/run/state" },
  { files: FILES, collector: { add: () => {} } },
);

const VOLUMES = new PodVolumes(
  { rootDir: "/state", runDir: "/run/state", hostPathRoots: ["/srv"] },
  {
    clock: new FakeClock(),
    log: silentLogger,
    files: FILES,
    directories: DIRECTORIES,
    objects: { ...NO_OBJECTS, isCertain: () => true, isRenewed: () => false },
    allocatable: () => new Map(),
  },
);

function podWith(volumes: readonly Volume[], mounted?: readonly string[]): Pod {
  const names = mounted ?? volumes.map(({ name }) => name);
  const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }));
  return pod({ volumes, containers: [container("c", { volumeMounts })] });
}

Deno.test("onDisk() lies below the root directory", () => {
  strictEqual(DIRECTORIES.onDisk("0a-1B"), "/state/pods/0a-1B");
});

for (const uid of ["", ".", "..", "a/b", "../x", "-a", "a\0b", "a b"]) {
  Deno.test(`onDisk() refuses the UID ${JSON.stringify(uid)}`, () => {
    throws(() => DIRECTORIES.onDisk(uid), RangeError);
  });
}

const PASSED_ON:
  readonly (readonly [path: string, type: string | undefined])[] = [
    ["/srv/data", undefined],
    ["/srv/data", ""],
    ["/", ""],
  ];

for (const [path, type] of PASSED_ON) {
  Deno.test(`setUp() passes hostPath "${path}" of type ${type} on unseen`, async () => {
    const hostPath = { path, ...(type === undefined ? {} : { type }) };
    const result = await VOLUMES.setUp(
      podWith([{ name: "h", hostPath }]),
    );
    strictEqual(result.kind, "ok");
    if (result.kind !== "ok") return;
    deepStrictEqual([...result.sources], [
      ["h", { hostPath: path, readOnly: false }],
    ]);
  });
}

const REFUSED: readonly {
  readonly title: string;
  readonly volume: Volume;
  readonly message: RegExp;
}[] = [
  {
    title: "a hostPath with ..",
    volume: { name: "h", hostPath: { path: "/srv/../etc" } },
    message: /"h".*without "\.\."/,
  },
  {
    title: "a relative hostPath",
    volume: { name: "h", hostPath: { path: "srv" } },
    message: /absolute/,
  },
  {
    title: "an unknown type of hostPath",
    volume: { name: "h", hostPath: { path: "/srv", type: "Door" } },
    message: /"Door" is no type/,
  },
  {
    title: "a hostPath of any type outside the roots (VO-08)",
    volume: { name: "h", hostPath: { path: "/etc", type: "Directory" } },
    message: /"\/etc" has the type "Directory".*--host-path-roots/,
  },
  {
    title: "a hostPath beside a root of a longer name",
    volume: { name: "h", hostPath: { path: "/srv2/x", type: "File" } },
    message: /--host-path-roots/,
  },
  {
    title: "an emptyDir of huge pages",
    volume: { name: "m", emptyDir: { medium: "HugePages-2Mi" } },
    message: /"HugePages-2Mi" needs a file system/,
  },
  {
    title: "an emptyDir of an unknown medium",
    volume: { name: "m", emptyDir: { medium: "Stone" } },
    message: /"Stone" is not supported, wanted "" or "Memory"/,
  },
  {
    title: "a gitRepo by name (SE-07)",
    volume: { name: "m", gitRepo: { repository: "ext::sh -c x" } },
    message: /gitRepo is not supported/,
  },
  ...["nfs", "iscsi", "fc", "csi", "rbd", "cephfs", "glusterfs", "azureDisk"]
    .map((kind) => ({
      title: `a volume of kind ${kind}`,
      // A volume of any kind has a name and its kind.
      volume: { name: "m", [kind]: {} } as Volume,
      message: new RegExp(
        `volume plugin "${kind}" needs a mount helper, which skerry has not`,
      ),
    })),
  {
    title: "an ephemeral claim",
    volume: { name: "m", ephemeral: {} },
    message: /needs a provisioner/,
  },
  {
    title: "a volume of no kind, which is no emptyDir (SE-07)",
    volume: { name: "m" },
    message: /does not say what it is made of/,
  },
  {
    title: "a volume of a kind that nobody knows (SE-07)",
    volume: { name: "m", warp: {} } as Volume,
    message: /of kind "warp" are not supported/,
  },
  {
    title: "a name that leads elsewhere",
    volume: { name: "../../x", emptyDir: {} },
    message: /not a DNS label/,
  },
];

for (const { title, volume, message } of REFUSED) {
  Deno.test(`setUp() refuses ${title}`, async () => {
    const result = await VOLUMES.setUp(podWith([volume]));
    strictEqual(result.kind, "failed");
    if (result.kind === "failed") {
      match(mountFailure(result.failures.values()).message, message);
    }
  });
}

Deno.test("setUp() names every volume that failed", async () => {
  const result = await VOLUMES.setUp(podWith([
    { name: "one", nfs: { path: "/", server: "s" } },
    { name: "two", hostPath: { path: "/srv" } },
    { name: "three", flexVolume: { driver: "d" } },
  ]));
  strictEqual(result.kind, "failed");
  if (result.kind === "failed") {
    match(mountFailure(result.failures.values()).message, /"one".*; .*"three"/);
  }
});

Deno.test("setUp() passes over volumes that no container mounts", async () => {
  const result = await VOLUMES.setUp(
    podWith([{ name: "m", configMap: {} }], []),
  );
  deepStrictEqual(result, { kind: "ok", sources: new Map() });
});

Deno.test("setUp() makes a volume that only a variable takes from (RT-27)", async () => {
  const base = podWith([{ name: "h", hostPath: { path: "/srv" } }], []);
  const fileKeyRef = { volumeName: "h", path: "app.env", key: "A" };
  const env = [{ name: "A", valueFrom: { fileKeyRef } }];
  const containers = base.spec.containers.map((one) => ({ ...one, env }));
  const result = await VOLUMES.setUp({
    ...base,
    spec: { ...base.spec, containers },
  });
  strictEqual(result.kind === "ok" && result.sources.has("h"), true);
});

Deno.test("setUp() leaves a volume of an image to the runtime", async () => {
  const result = await VOLUMES.setUp(
    podWith([{ name: "i", image: { reference: "x" } }]),
  );
  deepStrictEqual(result, { kind: "ok", sources: new Map() });
});

Deno.test("setUp() makes the volumes of init containers too", async () => {
  const base = podWith([{ name: "h", hostPath: { path: "/srv" } }], []);
  const initContainers = [{
    name: "i",
    volumeMounts: [{ name: "h", mountPath: "/h" }],
  }];
  const result = await VOLUMES.setUp({
    ...base,
    spec: { ...base.spec, initContainers },
  });
  strictEqual(result.kind === "ok" && result.sources.has("h"), true);
});
