/**
 * What containerd shows of its configuration.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { toldSandboxImage } from "../../../../mod/cri/rpc/mod.ts";

for (
  const [config, image] of [
    ['{"sandboxImage":"r.local/infra:1"}', "r.local/infra:1"],
    ['{"sandboxImage":""}', undefined],
    ['{"sandboxImage":7}', undefined],
    ["{}", undefined],
    ["[]", undefined],
    ["null", undefined],
    ["{", undefined],
    [undefined, undefined],
  ] as const
) {
  Deno.test(`toldSandboxImage() is ${image} of ${config}`, () => {
    const info = new Map(config === undefined ? [] : [["config", config]]);
    strictEqual(toldSandboxImage(info), image);
  });
}
