/**
 * The file source beside a FIFO that appears while it watches.
 *
 * A process of its own, since the loss of Deno's watching thread is for good: it is
 * why the watcher is left open here.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../../mod/base/mod.ts";
import {
  manifestYaml,
  startSourceRig,
} from "../../support/source/source_rig.ts";
import { makeFifo, openFifo } from "../../support/fifo.ts";

Deno.test({
  name:
    "FileSource keeps the pods of a manifest that becomes a FIFO or a link to nothing",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using rig = await startSourceRig({
      clock: systemClock,
      checkFrequencyMs: 200,
    });
    await rig.put("a.yaml", manifestYaml("a"));
    await rig.put("b.yaml", manifestYaml("b"));
    await rig.untilNames("a", "b");
    await makeFifo(join(rig.root, "fifo"));
    await Deno.rename(join(rig.root, "fifo"), rig.path("a.yaml"));
    await Deno.symlink("nothing", join(rig.root, "link"));
    await Deno.rename(join(rig.root, "link"), rig.path("b.yaml"));
    await rig.until(() => rig.report().length === 2, "two reports");
    ok(rig.report().every(({ kind }) => kind === "last_good"));
    strictEqual(rig.names.join(), "a,b");
    await rig.stop();
    await openFifo(rig.path("a.yaml"));
    await rig.stop();
    await openFifo(rig.path("a.yaml"));
  },
});
