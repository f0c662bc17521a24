/**
 * Whether a node has what its manifests say, once nothing happens any more.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { CONTROLLER_KINDS } from "../../../mod/controller/run/mod.ts";
import type { Wish } from "./workload_wishes.ts";
import type { WorkloadsRig } from "./workloads_rig.ts";

/** An object that makes pods, as far as it is looked at here. */
type Root = ApiObject & {
  readonly spec?: {
    readonly replicas?: number;
    readonly completions?: number;
    readonly template?: Pick<Pod, "spec">;
  };
  readonly status?: {
    readonly succeeded?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
    }[];
  };
};

/** What is known beside the store. */
export interface Witnessed {
  readonly wishes: readonly Wish[];
  /** How many pods have really succeeded, by the UID of their Job. */
  readonly succeeded: ReadonlyMap<string, number>;
  /** What the store has lost with the power runs once more. */
  readonly hasLostPower: boolean;
}

/** Asserts that each wish has its pods, and that there is nothing else. */
export async function checkWorkloads(
  rig: WorkloadsRig,
  witnessed: Witnessed,
): Promise<void> {
  strictEqual(rig.failures.join(), "");
  const lists = await Promise.all(
    Object.entries(CONTROLLER_KINDS).map(([kind, apiVersion]) =>
      rig.all({ apiVersion, kind })
    ),
  );
  const objects = lists.flat();
  const byUid = new Map(objects.map((each) => [each.metadata.uid, each]));
  for (const each of objects) checkOwners(each, byUid);
  const rootOf = (object: ApiObject): ApiObject => {
    const [owner] = object.metadata.ownerReferences ?? [];
    const above = owner && byUid.get(owner.uid);
    return above === undefined ? object : rootOf(above);
  };
  const pods = Map.groupBy(objects.filter(isPod), rootOf);
  for (const root of pods.keys()) {
    const isWished = witnessed.wishes.some((wish) => isOf(wish, root));
    ok(isWished, `${root.kind} ${root.metadata.name} has pods`);
  }
  for (const wish of witnessed.wishes) {
    const root = objects.find((each) => isOf(wish, each));
    const mayBeGone = wish.kind === "Job" && wish.ttl !== undefined;
    ok(root !== undefined || mayBeGone, `${wish.kind} ${wish.name} is missing`);
    if (root !== undefined) checkPods(root, pods.get(root) ?? [], witnessed);
  }
}

function isPod(object: ApiObject): object is Pod {
  return object.kind === "Pod";
}

function isOf({ kind, name }: Wish, object: ApiObject): boolean {
  return object.kind === kind && object.metadata.name === name;
}

function checkOwners(
  { kind, metadata }: ApiObject,
  byUid: ReadonlyMap<string, ApiObject>,
): void {
  const { name, ownerReferences = [], deletionTimestamp } = metadata;
  for (const owner of ownerReferences) {
    ok(byUid.has(owner.uid), `${kind} ${name} is of ${owner.name}, gone`);
  }
  const isMade = ["Pod", "ReplicaSet", "ControllerRevision"].includes(kind) &&
    name.includes("-");
  ok(!isMade || ownerReferences.length > 0, `${kind} ${name} is nobody's`);
  strictEqual(deletionTimestamp, undefined, `${kind} ${name} does not go`);
}

/** An edit of what cannot change is refused, so the object counts and not the wish. */
function checkPods(
  root: Root,
  pods: readonly Pod[],
  witnessed: Witnessed,
): void {
  const { kind, metadata: { name }, spec } = root;
  const running = pods.filter(({ status }) => status?.phase === "Running");
  const found = pods.map(({ metadata, status, spec: { containers } }) =>
    `${metadata.name} ${status?.phase} ${containers[0]?.image}`
  );
  const words = `${kind} ${name} has ${found.join(", ")}`;
  switch (kind) {
    case "Job":
      strictEqual(running.length, 0, words);
      return checkJob(root, words, witnessed);
    case "CronJob":
      return ok(running.length <= 1, words);
    case "DaemonSet":
      return strictEqual(running.length, 1, words);
    case "ReplicaSet":
    case "ReplicationController":
      return strictEqual(running.length, spec?.replicas, words);
    default: {
      strictEqual(running.length, spec?.replicas, words);
      const image = spec?.template?.spec.containers[0]?.image;
      for (const pod of running) {
        strictEqual(pod.spec.containers[0]?.image, image, words);
      }
    }
  }
}

/** Each success is counted once, and none is one too many. */
function checkJob(
  { metadata, spec, status }: Root,
  words: string,
  { succeeded, hasLostPower }: Witnessed,
): void {
  const over = status?.conditions?.find(({ type, status }) =>
    (type === "Complete" || type === "Failed") && status === "True"
  );
  strictEqual(over?.type, "Complete", `${words}: ${JSON.stringify(status)}`);
  const { completions = 1 } = spec ?? {};
  strictEqual(status?.succeeded, completions, words);
  const really = succeeded.get(metadata.uid) ?? 0;
  const isRight = hasLostPower ? really >= completions : really === completions;
  ok(isRight, `${really} have really succeeded: ${words}`);
}
