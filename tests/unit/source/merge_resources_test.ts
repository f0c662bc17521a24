/**
 * A manifest with a UID whose resources change is the same pod, updated.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { PodStorage } from "../../../mod/source/merge/merge.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NO_EVENTS } from "../../support/no_ops.ts";
import { container, pod } from "../../support/pods.ts";

function limited(memory: string): Pod {
  const resources = { limits: { memory }, requests: { memory } };
  return pod({ uid: "fixed", containers: [container("c", { resources })] });
}

Deno.test("PodStorage.merge() takes changed resources of a fixed UID for an update", () => {
  const storage = new PodStorage({
    clock: new FakeClock(),
    log: silentLogger,
    events: NO_EVENTS,
  });
  const merge = (memory: string) =>
    storage.merge({
      source: "file",
      pods: [limited(memory)],
      objects: [],
      workloads: [],
    })
      .map(({ op, pods }) => [op, pods.map(({ metadata }) => metadata.uid)]);
  deepStrictEqual(merge("32Mi"), [["add", ["fixed"]]]);
  deepStrictEqual(merge("64Mi"), [["update", ["fixed"]]]);
  deepStrictEqual(merge("64Mi"), []);
});
