/**
 * Which pods and objects follow from the manifest files.
 *
 * @module
 */

import {
  formatObjectId,
  type LocalObject,
  type ObjectId,
  objectId,
  podKey,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { workloadId, type WorkloadManifest } from "../../api/workload/mod.ts";
import {
  contentOf,
  type FileContent,
  type FileEntries,
  type FileReport,
  type FileVerdict,
  isContentKnown,
  reportOn,
} from "../mod.ts";

/** A name or UID that only one file can have, such as `name default/web`. */
export type Claim = string;

/** The file that has each claim. */
export type Holders = ReadonlyMap<Claim, string>;

/** What the files amount to, and what is wrong with them. */
export interface Resolution extends FileContent {
  readonly reports: readonly FileReport[];
  /** The file of each claim from now on. */
  readonly holders: Holders;
  /** What of each file counts, as far as it is known. */
  readonly counted: ReadonlyMap<string, FileContent>;
}

/**
 * Puts the files together, in the order of their paths.
 *
 * Two pods may have the same name or UID, and two others the same kind and name. Then the
 * one stays whose file had it `before`, so a copy of a manifest never takes its place. If
 * neither file had it, the first path decides.
 */
export function resolveFiles(
  entries: FileEntries,
  before: Holders = new Map(),
): Resolution {
  const files = sortedFiles(entries);
  const { winners, holders } = choose(files, before);
  const pods: Pod[] = [];
  const objects: LocalObject[] = [];
  const workloads: WorkloadManifest[] = [];
  const reports: FileReport[] = [];
  const counted = new Map<string, FileContent>();
  for (const { file, verdict, content } of files) {
    const report = reportOn(file, verdict);
    if (report !== undefined) reports.push(report);
    const own = {
      pods: content.pods.filter((pod) => winners.has(pod)),
      objects: content.objects.filter((object) => winners.has(object)),
      workloads: content.workloads.filter((one) => winners.has(one)),
    };
    pods.push(...own.pods);
    objects.push(...own.objects);
    workloads.push(...own.workloads);
    if (isContentKnown(verdict)) counted.set(file, own);
    reports.push(...duplicates(file, content, { winners, holders }));
  }
  return { pods, objects, workloads, reports, holders, counted };
}

/** The claims that more than one file makes and none of them had `before`. */
export function openClaims(
  entries: FileEntries,
  before: Holders,
): ReadonlyMap<Claim, readonly string[]> {
  const claims = sortedFiles(entries).flatMap(({ file, content }) =>
    claimsOf(content).map((claim) => ({ claim, file }))
  );
  const open = new Map<Claim, readonly string[]>();
  for (const [claim, all] of Map.groupBy(claims, ({ claim }) => claim)) {
    const files = new Set(all.map(({ file }) => file));
    const holder = before.get(claim);
    const isHeld = holder !== undefined && files.has(holder);
    if (files.size > 1 && !isHeld) open.set(claim, [...files]);
  }
  return open;
}

/** Everything that a file claims for itself. */
export function claimsOf(content: FileContent): readonly Claim[] {
  return itemsOf(content).flatMap(({ claims }) => claims);
}

/** What of a set is held back while manifests may be found elsewhere. */
export type HeldBack = FileContent | "all";

/**
 * Says what of a set has no file any more that has its name, and may have one in a
 * moment; `all` if they cannot be had together with what there is.
 *
 * @param files.isMoving whether what a file had may be found elsewhere; of an unknown one,
 * whether anything may
 */
export function heldBack(
  { pods, objects, workloads }: FileContent,
  { before, now, isMoving }: {
    readonly before: Holders;
    readonly now: Holders;
    readonly isMoving: (file: string | undefined) => boolean;
  },
): HeldBack {
  const isHeld = (claim: Claim) =>
    !now.has(claim) && isMoving(before.get(claim));
  const held = {
    pods: pods.filter((pod) => isHeld(nameOf(pod))),
    objects: objects.filter((one) => isHeld(claimOfOther(one))),
    workloads: workloads.filter((one) => isHeld(claimOfOther(one))),
  };
  return held.pods.some((pod) => now.has(uidOf(pod))) ? "all" : held;
}

/** Whether each of them has its name in some file, though it may be another by now. */
export function areNamed(
  { pods, objects, workloads }: FileContent,
  holders: Holders,
): boolean {
  return pods.every((pod) => holders.has(nameOf(pod))) &&
    [...objects, ...workloads].every((one) => holders.has(claimOfOther(one)));
}

interface SortedFile {
  readonly file: string;
  readonly verdict: FileVerdict;
  readonly content: FileContent;
}

function sortedFiles(entries: FileEntries): readonly SortedFile[] {
  return [...entries]
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([file, { verdict }]) => ({
      file,
      verdict,
      content: contentOf(verdict),
    }));
}

type ItemValue = Pod | LocalObject | WorkloadManifest;

interface Item {
  readonly value: ItemValue;
  readonly claims: readonly Claim[];
}

function itemsOf(content: FileContent): readonly Item[] {
  const { pods, objects, workloads } = content;
  return [
    ...pods.map((pod) => ({ value: pod, claims: [nameOf(pod), uidOf(pod)] })),
    ...[...objects, ...workloads].map((one) => ({
      value: one,
      claims: [claimOfOther(one)],
    })),
  ];
}

const nameOf = ({ metadata }: Pod): Claim => `name ${podKey(metadata)}`;
const uidOf = ({ metadata }: Pod): Claim => `uid ${metadata.uid}`;
const claimOfOther = (one: LocalObject | WorkloadManifest): Claim =>
  `object ${formatObjectId(idOf(one))}`;

function idOf(one: LocalObject | WorkloadManifest): ObjectId {
  return "metadata" in one ? workloadId(one) : objectId(one);
}

interface Choice {
  readonly winners: ReadonlySet<ItemValue>;
  readonly holders: Holders;
}

function choose(files: readonly SortedFile[], before: Holders): Choice {
  const winners = new Set<ItemValue>();
  const holders = new Map<Claim, string>();
  const kept = keptClaims(files, before);
  const take = (isNext: (claims: Item["claims"], file: string) => boolean) => {
    for (const { file, content } of files) {
      for (const { value, claims } of itemsOf(content)) {
        const isFree = claims.every((claim) => !holders.has(claim));
        if (!isFree || !isNext(claims, file)) continue;
        winners.add(value);
        for (const claim of claims) holders.set(claim, file);
      }
    }
  };
  const isOwn = (claim: Claim, file: string): boolean =>
    kept.get(claim) === file;
  // A file that has the UID of a pod has no right to the name of another.
  take((claims, file) =>
    claims.some((claim) => isOwn(claim, file)) &&
    claims.every((claim) => !kept.has(claim) || isOwn(claim, file))
  );
  take((claims, file) => claims.some((claim) => isOwn(claim, file)));
  take(() => true);
  return { winners, holders };
}

/** The claims of before that the same file makes still. */
function keptClaims(
  files: readonly SortedFile[],
  before: Holders,
): Holders {
  const kept = new Map<Claim, string>();
  for (const { file, content } of files) {
    for (const claim of claimsOf(content)) {
      if (before.get(claim) === file) kept.set(claim, file);
    }
  }
  return kept;
}

function duplicates(
  file: string,
  { pods, objects, workloads }: FileContent,
  { winners, holders }: Choice,
): FileReport[] {
  const reports: FileReport[] = [];
  for (const pod of pods) {
    if (winners.has(pod)) continue;
    const byName = holders.get(nameOf(pod));
    const of = byName ?? holders.get(uidOf(pod)) ?? file;
    const field = byName === undefined ? "uid" : "name";
    reports.push({ kind: "duplicate", file, of, pod, field });
  }
  for (const one of [...objects, ...workloads]) {
    if (winners.has(one)) continue;
    const of = holders.get(claimOfOther(one)) ?? file;
    const object = idOf(one);
    reports.push({ kind: "duplicate_object", file, of, object, pods });
  }
  return reports;
}
