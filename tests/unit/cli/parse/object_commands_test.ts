/**
 * Command lines about objects of any kind.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Resource, RESOURCES } from "../../../../mod/api/access/mod.ts";
import type { Command } from "../../../../mod/cli/parse/command.ts";
import { parseCommand } from "../../../../mod/cli/parse/parse_command.ts";

const GET = {
  kind: "get_pods",
  location: [],
  name: undefined,
  namespace: "default",
  output: "table",
  watch: false,
} as const;
const GET_OBJECTS = {
  kind: "get_objects",
  location: [],
  namespace: "default",
  output: "table",
  watch: false,
} as const;
const PODS = resource("Pod");
const DEPLOY = resource("Deployment");
const SETS = resource("ReplicaSet");

function resource(kind: string): Resource {
  const found = RESOURCES.find((each) => each.kind === kind);
  ok(found !== undefined);
  return found;
}

const ROWS: readonly (readonly [string, Command])[] = [
  ["get po -l app=web --field-selector=a=b -o jsonpath={.a}", {
    ...GET,
    labelSelector: "app=web",
    fieldSelector: "a=b",
    output: "jsonpath",
    expression: "{.a}",
  }],
  ["get pods/web", { ...GET, name: "web" }],
  ["get deploy,rs -A --watch=false -o wide", {
    ...GET_OBJECTS,
    targets: [{ resource: DEPLOY }, { resource: SETS }],
    namespace: undefined,
    output: "wide",
  }],
  ["get deploy,deployments a a b", {
    ...GET_OBJECTS,
    targets: [{ resource: DEPLOY, name: "a" }, { resource: DEPLOY, name: "b" }],
  }],
  ["get deploy/a rs/b deploy/a -o custom-columns=A:.a", {
    ...GET_OBJECTS,
    targets: [{ resource: DEPLOY, name: "a" }, { resource: SETS, name: "b" }],
    output: "custom-columns",
    expression: "A:.a",
  }],
  ["get pods a b", {
    ...GET_OBJECTS,
    targets: [{ resource: PODS, name: "a" }, { resource: PODS, name: "b" }],
  }],
  ["get deploy -w -o json", {
    ...GET_OBJECTS,
    targets: [{ resource: DEPLOY }],
    watch: true,
    output: "json",
  }],
  ["describe deploy web -n shop", {
    kind: "describe_objects",
    location: [],
    targets: [{ resource: DEPLOY, name: "web" }],
    namespace: "shop",
  }],
  ["describe rs", {
    kind: "describe_objects",
    location: [],
    targets: [{ resource: SETS }],
    namespace: "default",
  }],
  ["describe rs/a deploy/b", {
    kind: "describe_objects",
    location: [],
    targets: [{ resource: SETS, name: "a" }, { resource: DEPLOY, name: "b" }],
    namespace: "default",
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
    ["get deploymnts", 'no such kind, did you mean "deployments"'],
    ["get deploy,nodes", 'Cannot get "nodes": there is no such kind'],
    ["get deploy/", 'Cannot get "deploy/": wanted KIND/NAME'],
    ["get deploy/a/b", 'Cannot get "deploy/a/b": wanted KIND/NAME'],
    ["get deploy/a rs", 'Cannot get "rs": wanted KIND/NAME'],
    ["get deploy a -A", "wanted a name or -A, not both"],
    ["get deploy a -l x", 'Cannot use --selector with "a"'],
    ["get po a --field-selector=x=y", 'Cannot use --field-selector with "a"'],
    ["get deploy -l x=(", "Cannot read the label selector"],
    ["get deploy,rs -w", "Cannot watch several"],
    ["get deploy a b -w", "Cannot watch several"],
    ["get pods a b -w", "Cannot watch several"],
    ["get deploy -w -o yaml", "Cannot watch with -o yaml"],
    ["get deploy -o jsonpath={.a", "Cannot read the template"],
    ["get deploy -o custom-columns=A", "Cannot read the column"],
    ["get deploy -o jsonpath", "custom-columns=…"],
    ["get events -l x", "Cannot use --selector with events"],
    ["get events --field-selector=x=y", "Cannot use --field-selector with"],
    ["get events -o jsonpath={.a}", "wanted one of wide, json, yaml, name"],
  ] as const
) {
  Deno.test(`parseCommand() refuses "${line}"`, () => {
    const result = parseCommand(split(line));
    ok(result.kind === "refused");
    strictEqual(result.faults.length, 1, result.faults.join("\n"));
    ok(result.faults[0]?.includes(fault), String(result.faults[0]));
  });
}
