/**
 * Command lines that change manifests.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Resource, RESOURCES } from "../../../../mod/api/access/mod.ts";
import type { Command } from "../../../../mod/cli/parse/command.ts";
import { parseCommand } from "../../../../mod/cli/parse/parse_command.ts";

const DEPLOY = resource("Deployment");
const SETS = resource("ReplicaSet");

function resource(kind: string): Resource {
  const found = RESOURCES.find((each) => each.kind === kind);
  ok(found !== undefined);
  return found;
}

const CHANGE = { location: [], namespace: "default", dryRun: false } as const;
const ROLLOUT = {
  ...CHANGE,
  targets: [{ resource: DEPLOY, name: "a" }],
  revision: 0,
  timeoutMs: 0,
  once: false,
} as const;

type Row = readonly [string, Command];

const ROWS: readonly Row[] = [
  ["apply -f a.yaml,- -n shop --dry-run=client --pod-manifest-path /m", {
    kind: "apply",
    files: ["a.yaml", "-"],
    location: ["--pod-manifest-path=/m"],
    namespace: "shop",
    dryRun: true,
  }],
  ["diff -f x --root-dir=/r", {
    ...CHANGE,
    kind: "diff",
    files: ["x"],
    location: ["--root-dir=/r"],
  }],
  ["delete deploy a b", {
    ...CHANGE,
    kind: "delete",
    files: [],
    targets: [{ resource: DEPLOY, name: "a" }, { resource: DEPLOY, name: "b" }],
  }],
  ["delete -f x --dry-run=none", {
    ...CHANGE,
    kind: "delete",
    files: ["x"],
    targets: [],
  }],
  ["scale rs/a --replicas=0", {
    ...CHANGE,
    kind: "change",
    wish: { kind: "scale", replicas: 0 },
    targets: [{ resource: SETS, name: "a" }],
  }],
  ["set image deploy a c=r.io/x:1@sha256:0=1 d=y", {
    ...CHANGE,
    kind: "change",
    wish: {
      kind: "image",
      images: [["c", "r.io/x:1@sha256:0=1"], ["d", "y"]],
    },
    targets: [{ resource: DEPLOY, name: "a" }],
  }],
  ["set image deploy a *=y", {
    ...CHANGE,
    kind: "change",
    wish: { kind: "image", images: [["*", "y"]] },
    targets: [{ resource: DEPLOY, name: "a" }],
  }],
  ...(["restart", "pause", "resume"] as const).map((verb): Row => [
    `rollout ${verb} deploy/a`,
    {
      ...CHANGE,
      kind: "change",
      wish: { kind: verb },
      targets: [{ resource: DEPLOY, name: "a" }],
    },
  ]),
  ["rollout status deploy a --timeout=90s --watch=false", {
    ...ROLLOUT,
    kind: "rollout_status",
    timeoutMs: 90_000,
    once: true,
  }],
  ["rollout status deploy/a --timeout=0", {
    ...ROLLOUT,
    kind: "rollout_status",
  }],
  ["rollout history deploy a --revision=2", {
    ...ROLLOUT,
    kind: "rollout_history",
    revision: 2,
  }],
  ["rollout undo deploy a --to-revision=3 --dry-run=client", {
    ...ROLLOUT,
    kind: "rollout_undo",
    revision: 3,
    dryRun: true,
  }],
];

function split(line: string): string[] {
  return line.split(" ");
}

for (const [line, command] of ROWS) {
  Deno.test(`parseCommand() reads "${line}"`, () => {
    deepStrictEqual(parseCommand(split(line)), { kind: "ok", command });
  });
}

for (
  const [line, fault] of [
    ["apply", "Cannot apply nothing: wanted -f with files, or -f -"],
    ["apply -f x y", 'Cannot use the argument "y"'],
    ["diff", "Cannot diff nothing"],
    ["diff -f x --dry-run=client", "there is no such flag"],
    ["apply -f x --dry-run=server", 'found "server", wanted "client"'],
    ["delete", "Cannot delete nothing"],
    ["delete deploy", "Cannot delete all of a kind: wanted KIND NAME"],
    ["delete -f x deploy", 'Cannot use the argument "deploy"'],
    ["scale deploy a", "Cannot use --replicas: found nothing"],
    ["scale deploy a --replicas=-1", 'found "-1", wanted a whole number'],
    ["scale deploy a --replicas=1x", 'found "1x", wanted a whole number'],
    ["scale ds a --replicas=1", "Cannot scale a DaemonSet: wanted one of"],
    ["set size", 'Cannot set "size": wanted "image"'],
    ["set image deploy a", "wanted CONTAINER=IMAGE"],
    ["set image deploy a c=", "wanted CONTAINER=IMAGE"],
    ["set image deploy a c=x *=y", "wanted *=IMAGE alone"],
    ["set image deploy a =x", "wanted CONTAINER=IMAGE"],
    ["set image cm a c=x", "Cannot set a ConfigMap: wanted one of"],
    ["rollout", "Cannot roll out nothing"],
    ["rollout foo deploy a", 'Cannot roll out "foo": wanted one of status,'],
    [
      "rollout status job a",
      "Cannot status the rollout of a Job: wanted one of Deployment",
    ],
    [
      "rollout pause ds a",
      "Cannot pause the rollout of a DaemonSet: wanted one of Deployment",
    ],
    ["rollout undo deploy a --to-revision=x", "the number of a revision"],
    ["rollout history deploy a --revision=1.5", "the number of a revision"],
    ["rollout status deploy a --timeout=x", "wanted a duration such as 30s"],
  ] as const
) {
  Deno.test(`parseCommand() refuses "${line}"`, () => {
    const result = parseCommand(split(line));
    ok(result.kind === "refused");
    strictEqual(result.faults.length, 1, result.faults.join("\n"));
    ok(result.faults[0]?.includes(fault), String(result.faults[0]));
  });
}
