/**
 * Checks how the pods of workloads are exchanged: the specs of Deployment, DaemonSet and
 * StatefulSet (pkg/apis/apps/validation).
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { DaemonSet, Deployment, StatefulSet } from "../workload/mod.ts";
import {
  type Check,
  checkFields,
  each,
  type FieldChecks,
  fields,
  oneOf,
  optional,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import { labelProblem } from "./names.ts";
import { validateClaimSpec } from "./validate_claim.ts";

/** A count, or a part of all in percent. */
type PodAmount = number | string;

/** What a count or a percentage is as a number; both are zero at the same time. */
function amountOf(amount: PodAmount): number {
  return typeof amount === "number" ? amount : Number.parseInt(amount, 10);
}

/** A count that is not negative, or a percentage. */
const AMOUNT: Check<PodAmount | undefined> = optional(
  (amount: PodAmount, at) => {
    if (typeof amount === "number") return range(0)(amount, at);
    if (/^\d{1,9}%$/.test(amount)) return;
    at.invalid(amount, "must be an integer or a percentage such as '5%'");
  },
);

/** No more than all of them. */
const PART: Check<PodAmount | undefined> = optional((amount: PodAmount, at) => {
  AMOUNT(amount, at);
  if (typeof amount === "string" && amountOf(amount) > 100) {
    at.invalid(amount, "must not be more than 100%");
  }
});

type RollingUpdate = NonNullable<Deployment["spec"]["strategy"]>;

/** The spec of a Deployment beside its pods. */
export const DEPLOYMENT: FieldChecks<Deployment["spec"]> = {
  replicas: range(0),
  minReadySeconds: range(0),
  revisionHistoryLimit: range(0),
  progressDeadlineSeconds: (seconds, at, { minReadySeconds = 0 }) => {
    range(0)(seconds, at);
    if (seconds > minReadySeconds) return;
    at.invalid(seconds, "must be greater than `minReadySeconds`");
  },
  strategy: fields<RollingUpdate>({
    type: oneOf("Recreate", "RollingUpdate"),
    rollingUpdate: (update, at, { type }) => {
      if (update !== undefined && type === "Recreate") {
        at.forbidden("may not be specified when `type` is Recreate");
      } else if (type === "RollingUpdate") checkRolling(update ?? {}, at);
    },
  }),
};

interface RollingAmounts {
  readonly maxSurge?: PodAmount;
  readonly maxUnavailable?: PodAmount;
}

function checkRolling(update: RollingAmounts, at: Place): void {
  checkFields(update, at, { maxUnavailable: PART, maxSurge: AMOUNT });
  const { maxSurge = 0, maxUnavailable = 0 } = update;
  if (amountOf(maxSurge) !== 0 || amountOf(maxUnavailable) !== 0) return;
  at.child("maxUnavailable").invalid(
    maxUnavailable,
    "may not be 0 when `maxSurge` is 0",
  );
}

/** The spec of a DaemonSet beside its pods. */
export const DAEMON_SET: FieldChecks<DaemonSet["spec"]> = {
  minReadySeconds: range(0),
  revisionHistoryLimit: range(0),
  updateStrategy: fields<NonNullable<DaemonSet["spec"]["updateStrategy"]>>({
    type: oneOf("OnDelete", "RollingUpdate"),
    rollingUpdate: (update, at, { type }) => {
      if (type === "RollingUpdate") checkRollingDaemon(update ?? {}, at);
    },
  }),
};

function checkRollingDaemon(update: RollingAmounts, at: Place): void {
  checkFields(update, at, { maxUnavailable: PART, maxSurge: PART });
  const { maxSurge = 0, maxUnavailable = 0 } = update;
  const surges = amountOf(maxSurge) !== 0;
  const lacks = amountOf(maxUnavailable) !== 0;
  if (surges && lacks) {
    at.child("maxSurge").invalid(
      maxSurge,
      "may not be set when `maxUnavailable` is not zero",
    );
  }
  if (!surges && !lacks) {
    at.child("maxUnavailable").required("cannot be 0 when `maxSurge` is 0");
  }
}

type StatefulSpec = StatefulSet["spec"];
type ClaimTemplates = NonNullable<StatefulSpec["volumeClaimTemplates"]>;

const RETENTION = oneOf("Retain", "Delete");

/** The spec of a StatefulSet beside its pods. */
export const STATEFUL_SET: FieldChecks<StatefulSpec> = {
  replicas: range(0),
  minReadySeconds: range(0),
  revisionHistoryLimit: range(0),
  podManagementPolicy: oneOf("OrderedReady", "Parallel"),
  ordinals: fields<NonNullable<StatefulSpec["ordinals"]>>({
    start: range(0),
  }),
  persistentVolumeClaimRetentionPolicy: fields<
    NonNullable<StatefulSpec["persistentVolumeClaimRetentionPolicy"]>
  >({ whenDeleted: RETENTION, whenScaled: RETENTION }),
  updateStrategy: fields<NonNullable<StatefulSpec["updateStrategy"]>>({
    type: oneOf("OnDelete", "RollingUpdate"),
    rollingUpdate: (update, at, { type }) => {
      if (update === undefined) return;
      if (type === "OnDelete") {
        return at.forbidden("only allowed when `type` is RollingUpdate");
      }
      checkFields(update, at, {
        partition: range(0),
        maxUnavailable: (amount, at) => {
          PART(amount, at);
          if (amount !== undefined && amountOf(amount) === 0) {
            at.invalid(amount, "cannot be 0");
          }
        },
      });
    },
  }),
  volumeClaimTemplates: (templates, at) => {
    const names = new Uniques();
    each<ClaimTemplates[number]>(({ metadata, spec }, at) => {
      const nameAt = at.child("metadata").child("name");
      // It is the name of a volume of the pods as well.
      required(shape(labelProblem))(metadata?.name, nameAt);
      names.check(metadata?.name, nameAt);
      validateClaimSpec(spec ?? {}, at.child("spec"));
    })(templates, at);
  },
};

/** The template of a StatefulSet's pods with the volumes that they get from claims. */
export function withClaims(
  { template, volumeClaimTemplates = [] }: StatefulSpec,
): StatefulSpec["template"] {
  const { spec } = template;
  const names = volumeClaimTemplates.flatMap(({ metadata }) => {
    const { name = "" } = metadata ?? {};
    return labelProblem(name) === undefined ? [name] : [];
  });
  if (names.length === 0) return template;
  const claimed = (name: string) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  });
  const all = new Set(names);
  const missing = new Set(names);
  // The place of each in the list is part of what is reported.
  const volumes = (spec.volumes ?? []).map((volume) => {
    missing.delete(volume.name);
    return all.has(volume.name) ? claimed(volume.name) : volume;
  });
  volumes.push(...Array.from(missing, claimed));
  return { ...template, spec: { ...spec, volumes } };
}
