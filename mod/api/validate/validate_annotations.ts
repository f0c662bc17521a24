/**
 * Checks the annotations that have a meaning: the time after which an update is rolled
 * back, and those that once stood for fields, AppArmor and seccomp profiles.
 *
 * The AppArmor ones still count where the field is absent; the seccomp ones have
 * had no effect since Kubernetes 1.27 and may only say what the field says.
 *
 * @module
 */

import { parseDuration } from "../../base/text/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { ObjectMeta, PodBody, PodSpec } from "../types/mod.ts";
import {
  ANNOTATION_APPARMOR_PREFIX,
  ANNOTATION_ROLLBACK_AFTER,
  ANNOTATIONS_SECCOMP,
} from "../vocabulary/mod.ts";
import { own } from "./checks.ts";
import { localPathProblem } from "./names.ts";
import { containerNamesOf, containerPlaces } from "./pod_index.ts";

type Profile = NonNullable<
  NonNullable<PodSpec["securityContext"]>["seccompProfile"]
>;

/** Reports profile annotations that are wrong or contradict the fields. */
export function validateProfileAnnotations(pod: PodBody, at: Place): void {
  const annotations = pod.metadata.annotations ?? {};
  // Nearly no pod has one.
  if (!Object.keys(annotations).some(isProfileKey)) return;
  checkValues(pod, at.child("metadata").child("annotations"));
  const spec = at.child("spec");
  const podContext = pod.spec.securityContext ?? {};
  const whole = spec.child("securityContext").child("seccompProfile");
  const podSeccomp = own(annotations, ANNOTATIONS_SECCOMP.pod);
  checkSame(podContext.seccompProfile, podSeccomp, whole, SECCOMP);
  for (const [container, place] of containerPlaces(pod.spec, spec)) {
    const context = container.securityContext ?? {};
    const contextAt = place.child("securityContext");
    checkSame(
      context.seccompProfile,
      own(annotations, ANNOTATIONS_SECCOMP.prefix + container.name),
      contextAt.child("seccompProfile"),
      SECCOMP,
    );
    checkSame(
      context.appArmorProfile ?? podContext.appArmorProfile,
      own(annotations, ANNOTATION_APPARMOR_PREFIX + container.name),
      contextAt.child("appArmorProfile"),
      APP_ARMOR,
    );
  }
}

interface Spelling {
  readonly of: string;
  /** What stands for RuntimeDefault. */
  readonly runtimeDefault: readonly string[];
}

const SECCOMP: Spelling = {
  of: "seccomp",
  runtimeDefault: ["runtime/default", "docker/default"],
};
const APP_ARMOR: Spelling = {
  of: "AppArmor",
  runtimeDefault: ["runtime/default"],
};
const LOCALHOST = "localhost/";

function isProfileKey(key: string): boolean {
  return key === ANNOTATIONS_SECCOMP.pod ||
    key.startsWith(ANNOTATIONS_SECCOMP.prefix) ||
    key.startsWith(ANNOTATION_APPARMOR_PREFIX);
}

function checkValues(pod: PodBody, at: Place): void {
  const names = containerNamesOf(pod.spec);
  for (const [key, value] of Object.entries(pod.metadata.annotations ?? {})) {
    if (!isProfileKey(key)) continue;
    const isAppArmor = key.startsWith(ANNOTATION_APPARMOR_PREFIX);
    const spelling = isAppArmor ? APP_ARMOR : SECCOMP;
    const name = key.slice(ANNOTATION_APPARMOR_PREFIX.length);
    if (isAppArmor && !names.has(name)) {
      at.key(key).invalid(name, "no container of this pod has that name");
    }
    // Empty is the same as absent, for AppArmor only.
    if (isAppArmor && value === "") continue;
    const problem = valueProblem(value, spelling);
    if (problem !== undefined) at.key(key).invalid(value, problem);
  }
}

function valueProblem(value: string, spelling: Spelling): string | undefined {
  if (value === "unconfined") return undefined;
  if (spelling.runtimeDefault.includes(value)) return undefined;
  if (!value.startsWith(LOCALHOST)) {
    return `must be a profile: "runtime/default", "unconfined" or "localhost/<name>"`;
  }
  return spelling === SECCOMP
    ? localPathProblem(value.slice(LOCALHOST.length))
    : undefined;
}

function checkSame(
  profile: Profile | undefined,
  annotation: string | undefined,
  at: Place,
  spelling: Spelling,
): void {
  if (profile === undefined || annotation === undefined) return;
  const { localhostProfile = "", type } = profile;
  const same = type === "Unconfined"
    ? annotation === "unconfined"
    : type === "RuntimeDefault"
    ? spelling.runtimeDefault.includes(annotation)
    : annotation.startsWith(LOCALHOST);
  const { of } = spelling;
  if (!same) {
    at.child("type").forbidden(
      `${of} type in annotation and field must match`,
    );
  } else if (
    type === "Localhost" && annotation !== LOCALHOST + localhostProfile
  ) {
    at.child("localhostProfile").forbidden(
      `${of} profile in annotation and field must match`,
    );
  }
}

/** No pod is made, started and looked at in less. */
const LEAST_MS = 1_000;

/**
 * How long an update of the pod may take to become ready before it is rolled back,
 * in milliseconds; `undefined` when it never is.
 */
export function rollbackAfterMs(
  metadata: Pick<ObjectMeta, "annotations">,
): number | undefined {
  const text = own(metadata.annotations, ANNOTATION_ROLLBACK_AFTER);
  try {
    const ms = text === undefined ? 0 : parseDuration(text);
    return ms >= LEAST_MS ? ms : undefined;
  } catch {
    // It is no duration, which is all the caller asks.
    return undefined;
  }
}

/** Reports a time that cannot be kept. */
export function validateRollbackAfter(metadata: ObjectMeta, at: Place): void {
  const text = own(metadata.annotations, ANNOTATION_ROLLBACK_AFTER);
  if (text === undefined || rollbackAfterMs(metadata) !== undefined) return;
  at.child("annotations").key(ANNOTATION_ROLLBACK_AFTER).invalid(
    text,
    "must be a duration of at least 1s, such as `2m` or `1m30s`",
  );
}
