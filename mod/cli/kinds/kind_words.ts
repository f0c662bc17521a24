/**
 * The words that a person uses for kinds of objects.
 *
 * @module
 */

import { groupOf, type Resource, RESOURCES } from "../../api/access/mod.ts";

/** What `all` means, in kubectl's order. */
const ALL = [
  "Pod",
  "ReplicationController",
  "Service",
  "DaemonSet",
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "CronJob",
  "Job",
];

/** Every kind that `all` stands for. */
export function allKinds(): readonly Resource[] {
  return ALL.flatMap((kind) => findKind(kind) ?? []);
}

/**
 * The kind that a word means: its name in one or many, a short name, or one of them with
 * its group and version behind it, such as `deployments.v1.apps`.
 */
export function findKind(word: string): Resource | undefined {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const group = rest.join(".");
  return RESOURCES.find((each) => {
    const { apiVersion, kind, resource, shortNames } = each;
    const isNamed = name === resource || name === kind.toLowerCase() ||
      shortNames.includes(name);
    if (!isNamed || group === "") return isNamed;
    const ofKind = groupOf(apiVersion);
    const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
    return group === ofKind || group === `${version}.${ofKind}`;
  });
}

/** The name of an object with its kind: `deployment.apps/web`. */
export function prefixedName(
  { apiVersion, kind }: Pick<Resource, "apiVersion" | "kind">,
  name: string,
): string {
  return `${kindWord({ apiVersion, kind })}/${name}`;
}

/** A kind as `-o name` has it: `deployment.apps`. */
export function kindWord(
  { apiVersion, kind }: Pick<Resource, "apiVersion" | "kind">,
): string {
  const group = groupOf(apiVersion);
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`;
}
