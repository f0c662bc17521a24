/**
 * What containerd says of the pieces of images that it writes.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ListStatusesResponse } from "../../../proto/gen/containerd/services/content/v1/content.ts";
import { type CriRig, startCriRig } from "../../support/cri/cri_rig.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { until } from "../../support/until.ts";

const NEVER = new AbortController().signal;

const ONE: ListStatusesResponse = {
  statuses: [{
    ref: "layer-sha256:1f",
    offset: 1_048_576n,
    total: 3_001_856n,
    startedAt: { seconds: 1_700_000_000n, nanos: 250_000_000 },
  }],
};

const SEEN = [{
  ref: "layer-sha256:1f",
  bytes: 1_048_576,
  totalBytes: 3_001_856,
  begunMs: 1_700_000_000_250,
}];

function asked({ fake }: CriRig): number {
  return fake.callsOf("ListStatuses").length;
}

Deno.test("CriConnection.ingests() tells what the runtime writes", async () => {
  await using rig = await startCriRig();
  rig.fake.ingests = () => ONE;
  deepStrictEqual(await rig.cri.ingests(), SEEN);
  rig.fake.ingests = () => ({ statuses: [] });
  deepStrictEqual(await rig.cri.ingests(), []);
});

Deno.test("CriConnection.ingests() takes a piece without a time for an old one", async () => {
  await using rig = await startCriRig();
  rig.fake.ingests = () => ({
    statuses: [{ ref: "a", offset: 0n, total: 0n, startedAt: undefined }],
  });
  const [seen] = await rig.cri.ingests() ?? [];
  strictEqual(seen?.begunMs, 0);
});

for (const code of [CODE.unimplemented, 7, 16]) {
  Deno.test(`CriConnection.ingests() does not ask again a runtime that refused with ${code}, until it is ready anew`, async () => {
    await using rig = await startCriRig();
    rig.fake.ingests = () => ONE;
    const details = "no";
    rig.fake.fault("ListStatuses", { kind: "error", code, details }, {
      times: 1,
    });
    for (let times = 0; times < 3; times++) {
      strictEqual(await rig.cri.ingests(), undefined);
    }
    strictEqual(asked(rig), 1);
    await rig.cri.ready(NEVER);
    deepStrictEqual(await rig.cri.ingests(), SEEN);
  });
}

Deno.test("CriConnection.ingests() tells nothing when the call fails, hangs or is nonsense, and asks again the next time", async () => {
  const clock = new FakeClock();
  await using rig = await startCriRig({ clock });
  rig.fake.ingests = () => new Uint8Array([0x0a, 0xff]);
  strictEqual(await rig.cri.ingests(), undefined);
  rig.fake.ingests = () => ONE;
  const details = "store: closed";
  rig.fake.fault("ListStatuses", {
    ...{ kind: "error", code: CODE.unknown, details },
  }, { times: 1 });
  rig.fake.fault("ListStatuses", { kind: "hang" }, { times: 1 });
  strictEqual(await rig.cri.ingests(), undefined);
  const hanging = rig.cri.ingests();
  await until(() => asked(rig) === 3);
  await clock.advance(5_000);
  strictEqual(await hanging, undefined);
  deepStrictEqual(await rig.cri.ingests(), SEEN);
});

Deno.test("CriConnection.ingests() is cancelled by its signal", async () => {
  await using rig = await startCriRig();
  rig.fake.ingests = () => ONE;
  rig.fake.fault("ListStatuses", { kind: "hang" });
  const stop = new AbortController();
  const listed = rig.cri.ingests({ signal: stop.signal });
  stop.abort();
  await rejects(listed, { kind: "cancelled" });
});
