/**
 * Volumes whose files are kept up to date.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { hasObjectVolumes } from "../../../../mod/agent/sync/volume_gate.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";

type Volumes = NonNullable<Pod["spec"]["volumes"]>;

const EMPTY = { name: "empty", emptyDir: {} };

const ROWS: readonly [expected: boolean, volumes: Volumes][] = [
  [false, []],
  [false, [EMPTY, { name: "host", hostPath: { path: "/srv" } }]],
  [true, [EMPTY, { name: "config", configMap: { name: "c" } }]],
  [true, [EMPTY, { name: "secret", secret: { secretName: "s" } }]],
  [true, [{ name: "own", downwardAPI: { items: [] } }, EMPTY]],
  [true, [{ name: "all", projected: { sources: [] } }]],
];

for (const [expected, volumes] of ROWS) {
  const names = volumes.map(({ name }) => name).join() || "none";
  Deno.test(`hasObjectVolumes() is ${expected} of the volumes ${names}`, () => {
    strictEqual(
      hasObjectVolumes({ spec: { containers: [], volumes } }),
      expected,
    );
  });
}

Deno.test("hasObjectVolumes() is false of a pod that names no volumes", () => {
  strictEqual(hasObjectVolumes({ spec: { containers: [] } }), false);
});
