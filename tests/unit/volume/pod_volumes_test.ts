/**
 * Tests of what the volumes decide without touching the disk.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  strictEqual,
  throws,
} from "node:assert/strict";
import { silentLogger } from "../../../mod/base/mod.ts";
import type { Pod, Volume } from "../../../mod/api/mod.ts";
import { PodVolumes } from "../../../mod/volume/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const VOLUMES = new PodVolumes(
  { rootDir: "/state", runDir: "/run/state" },
  {
    log: silentLogger,
    clock: new FakeClock(),
    files: { removeTree: () => Promise.reject(new Error("not to be called")) },
  },
);

function podWith(volumes: readonly Volume[], mounted?: readonly string[]): Pod {
  const names = mounted ?? volumes.map(({ name }) => name);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", uid: "u-1" },
    spec: {
      volumes,
      containers: [{
        name: "c",
        volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
      }],
    },
  };
}

Deno.test("podDirectory() lies below the root directory", () => {
  strictEqual(VOLUMES.podDirectory("0a-1B"), "/state/pods/0a-1B");
});

for (const uid of ["", ".", "..", "a/b", "../x", "-a", "a\0b", "a b"]) {
  Deno.test(`podDirectory() refuses the UID ${JSON.stringify(uid)}`, () => {
    throws(() => VOLUMES.podDirectory(uid), RangeError);
  });
}

const PASSED_ON:
  readonly (readonly [path: string, type: string | undefined])[] = [
    ["/srv/data", undefined],
    ["/srv/data", ""],
    ["/", ""],
  ];

for (const [path, type] of PASSED_ON) {
  Deno.test(`materialise() passes hostPath "${path}" of type ${type} on unseen`, async () => {
    const hostPath = { path, ...(type === undefined ? {} : { type }) };
    const result = await VOLUMES.materialise(
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
    title: "an emptyDir in memory",
    volume: { name: "m", emptyDir: { medium: "Memory" } },
    message: /"Memory" is not supported yet/,
  },
  {
    title: "a configMap",
    volume: { name: "m", configMap: { name: "x" } },
    message: /"configMap" are not supported yet/,
  },
  {
    title: "a name that leads elsewhere",
    volume: { name: "../../x", emptyDir: {} },
    message: /not a DNS label/,
  },
];

for (const { title, volume, message } of REFUSED) {
  Deno.test(`materialise() refuses ${title}`, async () => {
    const result = await VOLUMES.materialise(podWith([volume]));
    strictEqual(result.kind, "failed");
    if (result.kind === "failed") match(result.message, message);
  });
}

Deno.test("materialise() names every volume that failed", async () => {
  const result = await VOLUMES.materialise(podWith([
    { name: "one", configMap: {} },
    { name: "two", hostPath: { path: "/srv" } },
    { name: "three", secret: {} },
  ]));
  strictEqual(result.kind, "failed");
  if (result.kind === "failed") match(result.message, /"one".*; .*"three"/);
});

Deno.test("materialise() passes over volumes that no container mounts", async () => {
  const result = await VOLUMES.materialise(
    podWith([{ name: "m", configMap: {} }], []),
  );
  deepStrictEqual(result, { kind: "ok", sources: new Map() });
});

Deno.test("materialise() makes the volumes of init containers too", async () => {
  const base = podWith([{ name: "h", hostPath: { path: "/srv" } }], []);
  const initContainers = [{
    name: "i",
    volumeMounts: [{ name: "h", mountPath: "/h" }],
  }];
  const result = await VOLUMES.materialise({
    ...base,
    spec: { ...base.spec, initContainers },
  });
  strictEqual(result.kind === "ok" && result.sources.has("h"), true);
});
