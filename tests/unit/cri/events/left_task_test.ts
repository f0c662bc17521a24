/**
 * The removal of a container whose task containerd's CRI does not know.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { removeWithTask } from "../../../../mod/cri/events/left_task.ts";
import { CriError, type CriErrorKind } from "../../../../mod/cri/model/mod.ts";
import type { Rpc } from "../../../../mod/cri/rpc/mod.ts";
import { KillRequest } from "../../../../proto/gen/containerd/services/tasks/v1/tasks.ts";

const ID = "c".repeat(64);

function refusal(
  detail =
    `failed to delete containerd container "${ID}": cannot delete running task ${ID}: failed precondition`,
): CriError {
  return new CriError({ kind: "failed", method: "RemoveContainer", detail });
}

/** A runtime that does not remove while it has a task. */
class TaskRig {
  readonly calls: string[] = [];
  /** What the next calls of these names fail with. */
  readonly failures: Map<string, CriErrorKind> = new Map();
  hasTask = true;
  /** What happens when one of them fails. */
  failed: () => void = () => {};

  readonly rpc: Pick<Rpc, "call"> = {
    call: (method, request) => {
      const bytes = method.requestType.encode(request).finish();
      // Both begin with the id, as field 1.
      const id = new TextDecoder().decode(bytes.subarray(2, 66));
      deepStrictEqual([id, method.metadata], [ID, {
        "containerd-namespace": "k8s.io",
      }]);
      if (method.name === "KillTask") {
        const { signal, all } = KillRequest.decode(bytes);
        deepStrictEqual([signal, all], [9, true]);
      }
      this.calls.push(method.path.replace(/.*\//, ""));
      const kind = this.failures.get(method.name);
      if (kind !== undefined) {
        this.failed();
        const failure = { kind, method: method.name, detail: "no" };
        return Promise.reject(new CriError(failure));
      }
      if (method.name === "DeleteTask") this.hasTask = false;
      return Promise.resolve(method.responseType.decode(new Uint8Array()));
    },
  };

  readonly remove = (): Promise<void> => {
    this.calls.push("remove");
    return this.hasTask ? Promise.reject(refusal()) : Promise.resolve();
  };

  async run(): Promise<void> {
    await removeWithTask(this.rpc, this.remove, {});
  }
}

Deno.test("removeWithTask() ends the task that is in the way, and removes again", async () => {
  const rig = new TaskRig();
  await rig.run();
  deepStrictEqual(rig.calls, ["remove", "Kill", "Delete", "remove"]);
});

Deno.test("removeWithTask() finds the task in a message that begins with it", async () => {
  const rig = new TaskRig();
  const refused = refusal(`cannot delete running task ${ID}: failed`);
  let times = 0;
  const remove = (): Promise<void> =>
    ++times === 1 ? Promise.reject(refused) : Promise.resolve();
  await removeWithTask(rig.rpc, remove, {});
  deepStrictEqual([rig.calls, times], [["Kill", "Delete"], 2]);
});

Deno.test("removeWithTask() passes on what no runtime said, and does nothing", async () => {
  const rig = new TaskRig();
  const broken = new Error(refusal().detail);
  const remove = () => Promise.reject(broken);
  await rejects(removeWithTask(rig.rpc, remove, {}), broken);
  deepStrictEqual(rig.calls, []);
});

Deno.test("removeWithTask() asks nothing more when it was removed", async () => {
  const rig = new TaskRig();
  rig.hasTask = false;
  await rig.run();
  deepStrictEqual(rig.calls, ["remove"]);
});

Deno.test("removeWithTask() deletes a task that has ended before", async () => {
  const rig = new TaskRig();
  rig.failures.set("KillTask", "not_found");
  await rig.run();
  deepStrictEqual(rig.calls, ["remove", "Kill", "Delete", "remove"]);
});

Deno.test("removeWithTask() removes when another removal has deleted the task meanwhile", async () => {
  const rig = new TaskRig();
  rig.failures.set("DeleteTask", "not_found");
  rig.failed = () => rig.hasTask = false;
  await rig.run();
  deepStrictEqual(rig.calls, ["remove", "Kill", "Delete", "remove"]);
});

Deno.test("removeWithTask() fails when the task ends too slowly, and deletes it at the next try", async () => {
  const rig = new TaskRig();
  rig.failures.set("DeleteTask", "failed");
  await rejects(rig.run(), { method: "DeleteTask" });
  rig.failures.clear();
  await rig.run();
  strictEqual(rig.hasTask, false);
});

Deno.test("removeWithTask() deletes nothing once its caller has gone", async () => {
  const rig = new TaskRig();
  rig.failures.set("KillTask", "cancelled");
  await rejects(rig.run(), { kind: "cancelled" });
  deepStrictEqual(rig.calls, ["remove", "Kill"]);
});

for (
  const detail of [
    "container is in starting state, can't be removed",
    "cannot delete running task",
    "cannot delete running task : failed precondition",
    `cannot delete running task ${ID}`,
  ]
) {
  Deno.test(`removeWithTask() ends no task because of "${detail}"`, async () => {
    const rig = new TaskRig();
    const remove = () => Promise.reject(refusal(detail));
    await rejects(removeWithTask(rig.rpc, remove, {}), { detail });
    deepStrictEqual(rig.calls, []);
  });
}
