/**
 * Which pods are wanted, out of what all sources list.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  sourceOf,
  wantedPods,
} from "../../../../mod/agent/desired/wanted_pods.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { SourceName } from "../../../../mod/source/merge/mod.ts";
import { podOf } from "../../../support/pods.ts";

function byUid(...pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  return new Map(pods.map((each) => [each.metadata.uid, each]));
}

/** A version of a pod that says whose it is. */
function from(source: SourceName, uid: string, ending?: string): Pod {
  return podOf(uid, {
    annotations: { [ANNOTATION_CONFIG_SOURCE]: source },
    ...ending !== undefined && { metadata: { deletionTimestamp: ending } },
  });
}

const FILE = from("file", "a");
const HTTP = from("http", "a");
const GOING = from("file", "a", "2026-01-01T00:00:00Z");

const WANTED: readonly {
  readonly what: string;
  readonly sources: readonly (readonly [SourceName, readonly Pod[]])[];
  readonly incumbent?: SourceName | "unknown";
  /** The source that may list the pod and has not spoken yet. */
  readonly awaited?: SourceName;
  readonly pods: readonly Pod[];
  readonly outdone?: readonly (readonly [Pod, SourceName])[];
}[] = [
  {
    what: "all pods of all sources, each source's in its order",
    sources: [["file", [podOf("z"), podOf("y")]], ["http", [podOf("b")]]],
    pods: [podOf("z"), podOf("y"), podOf("b")],
  },
  {
    what: "the version of the incumbent as long as its source lists it",
    sources: [["file", [FILE]], ["http", [HTTP]]],
    incumbent: "http",
    pods: [HTTP],
    outdone: [[FILE, "http"]],
  },
  {
    what: "the other version when the source of the incumbent has it no more",
    sources: [["file", [FILE]], ["http", []]],
    incumbent: "http",
    pods: [FILE],
  },
  {
    what: "the version of the file where none was first",
    sources: [["http", [HTTP]], ["file", [FILE]]],
    pods: [FILE],
    outdone: [[HTTP, "file"]],
  },
  {
    what: "the other version when the first is told to end",
    sources: [["file", [GOING]], ["http", [HTTP]]],
    incumbent: "file",
    pods: [HTTP],
  },
  {
    what: "no version of another source before the incumbent has spoken",
    sources: [["http", [HTTP]]],
    incumbent: "file",
    awaited: "file",
    pods: [],
  },
  {
    what: "no version before it is known who the incumbent is",
    sources: [["http", [HTTP]]],
    incumbent: "unknown",
    awaited: "file",
    pods: [],
  },
  {
    what: "the only version where no other source may list the pod",
    sources: [["http", [HTTP]]],
    incumbent: "unknown",
    pods: [HTTP],
  },
  {
    what: "a new pod of one source whatever the other may list",
    sources: [["http", [HTTP]]],
    awaited: "file",
    pods: [HTTP],
  },
  {
    what: "the version of the incumbent before the other has spoken",
    sources: [["http", [HTTP]]],
    incumbent: "http",
    awaited: "file",
    pods: [HTTP],
  },
  { what: "none that is told to end", sources: [["file", [GOING]]], pods: [] },
];

for (
  const { what, sources, incumbent, awaited, pods, outdone = [] } of WANTED
) {
  Deno.test(`wantedPods() wants ${what}`, () => {
    const listed = new Map(
      sources.map(([source, each]) => [source, byUid(...each)]),
    );
    const wanted = wantedPods(listed, {
      incumbentOf: () => incumbent,
      mayStillList: (source) => source === awaited,
    });
    deepStrictEqual([...wanted.pods.values()], pods);
    deepStrictEqual(
      wanted.outdone.map(({ pod, by }) => [pod, by]),
      outdone,
    );
    deepStrictEqual(
      wanted.outdone.map(({ source }) => source),
      outdone.map(([each]) => sourceOf(each.metadata.annotations)),
    );
  });
}
