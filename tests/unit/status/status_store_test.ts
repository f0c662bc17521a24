/**
 * What a later status may not take back (I4).
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerStatus, PodStatus } from "../../../mod/api/mod.ts";
import { StatusStore } from "../../../mod/status/mod.ts";

function container(name: string, restartCount: number): ContainerStatus {
  return {
    name,
    restartCount,
    ready: false,
    image: "",
    imageID: "",
  };
}

function status(phase: string, counts: readonly number[] = [0]): PodStatus {
  return {
    phase,
    containerStatuses: counts.map((count, at) => container(`c${at}`, count)),
  };
}

for (const terminal of ["Succeeded", "Failed"]) {
  for (const later of ["Pending", "Running", "Succeeded", "Failed"]) {
    Deno.test(`StatusStore.set() keeps ${terminal} when ${later} follows`, () => {
      const store = new StatusStore();
      store.set("u", status(terminal));
      store.set("u", { ...status(later), message: "new" });
      strictEqual(store.get("u")?.phase, terminal);
      strictEqual(store.get("u")?.message, "new");
    });
  }
}

Deno.test("StatusStore.set() lets a pod go back from Running to Pending", () => {
  const store = new StatusStore();
  store.set("u", status("Running"));
  store.set("u", status("Pending"));
  strictEqual(store.get("u")?.phase, "Pending");
});

Deno.test("StatusStore.set() lets a refused pod, which never had containers, start after all", () => {
  const store = new StatusStore();
  store.set("u", { phase: "Failed", reason: "OutOfcpu" });
  store.set("u", status("Pending"));
  strictEqual(store.get("u")?.phase, "Pending");
});

Deno.test("StatusStore.set() never lowers a restart count, of init containers neither", () => {
  const store = new StatusStore();
  const counted = (count: number): PodStatus => ({
    ...status("Running", [count, 3]),
    initContainerStatuses: [container("i", count)],
  });
  store.set("u", counted(5));
  store.set("u", counted(2));
  const shown = store.get("u");
  deepStrictEqual(
    shown?.containerStatuses?.map(({ restartCount }) => restartCount),
    [5, 3],
  );
  strictEqual(shown?.initContainerStatuses?.[0]?.restartCount, 5);
  store.set("u", counted(6));
  strictEqual(store.get("u")?.containerStatuses?.[0]?.restartCount, 6);
});

Deno.test("StatusStore.renew() forgets all but the restart counts", () => {
  const store = new StatusStore();
  store.set("u", status("Failed", [7]));
  store.renew("u");
  strictEqual(store.get("u"), undefined);
  store.set("u", status("Pending", [0]));
  deepStrictEqual(store.get("u"), status("Pending", [7]));
  store.remove("u");
  store.set("u", status("Pending", [0]));
  deepStrictEqual(store.get("u"), status("Pending", [0]));
});

Deno.test("StatusStore.remove() forgets a pod, so that its UID may begin anew", () => {
  const store = new StatusStore();
  store.set("u", status("Failed", [7]));
  store.remove("u");
  strictEqual(store.get("u"), undefined);
  store.set("u", status("Running", [0]));
  deepStrictEqual(store.get("u"), status("Running", [0]));
});

Deno.test("StatusStore.restore() begins with what an earlier agent knew (I4)", () => {
  const store = new StatusStore();
  const startTime = "2026-01-02T03:04:05Z";
  store.restore("u", { startTime, restartCounts: { c0: 7 } });
  deepStrictEqual(store.get("u"), { phase: "Pending", startTime });
  // A refusal says nothing of containers, and takes nothing back.
  store.set("u", { phase: "Failed", reason: "OutOfcpu" });
  store.set("u", status("Pending", [0]));
  deepStrictEqual(store.get("u"), status("Pending", [7]));
});

Deno.test("StatusStore.restore() keeps a pod that had ended at its end (PW-08)", () => {
  const store = new StatusStore();
  const ended = status("Succeeded", [2]);
  store.restore("u", { restartCounts: { c0: 2 }, ended });
  store.set("u", status("Running", [0]));
  strictEqual(store.get("u")?.phase, "Succeeded");
  strictEqual(store.get("u")?.containerStatuses?.[0]?.restartCount, 2);
});
