/**
 * Command lines.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
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
const EVENTS = {
  kind: "get_events",
  location: [],
  pod: undefined,
  namespace: "default",
  output: "table",
  watch: false,
} as const;
const EXPLAIN_SERVICE = {
  kind: "explain_service",
  location: [],
  namespace: "default",
  target: {
    name: "web",
    resource: {
      apiVersion: "v1",
      kind: "Service",
      resource: "services",
      shortNames: ["svc"],
      isNamespaced: true,
    },
  },
} as const;
const WEB = { location: [], name: "web", namespace: "default" } as const;
const LOGS = {
  kind: "logs",
  location: [],
  pod: "web",
  namespace: "default",
  container: undefined,
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
} as const;

const INSTALL = {
  kind: "install",
  program: "/usr/bin/skerry",
  args: [],
} as const;

type Row = readonly [string, Command];

const ROWS: readonly Row[] = [
  ["", { kind: "help", topic: undefined }],
  ["--help", { kind: "help", topic: undefined }],
  ["-h", { kind: "help", topic: undefined }],
  ["help", { kind: "help", topic: undefined }],
  ["help gte", { kind: "help", topic: undefined }],
  ["help logs", { kind: "help", topic: "logs" }],
  ["run --help", { kind: "help", topic: "run" }],
  ["logs -h", { kind: "help", topic: "logs" }],
  ["version", { kind: "version" }],
  ["kubelet", { kind: "kubelet", args: [] }],
  ["kubelet --v 4 -h2", { kind: "kubelet", args: ["--v", "4", "-h2"] }],
  ["kubelet --help", { kind: "help", topic: "kubelet" }],
  ["kubelet --version", { kind: "kubelet_version" }],
  ["kubelet --v=1 --version=true", { kind: "kubelet_version" }],
  ["kubelet --version=raw", { kind: "kubelet_version" }],
  ["kubelet --version=v1.2.3", {
    kind: "kubelet",
    args: ["--version=v1.2.3"],
  }],
  ["--version", { kind: "version" }],
  ["run --root-dir=/x --config c", {
    kind: "run",
    args: ["--root-dir=/x", "--config", "c"],
  }],
  ["get pods", GET],
  ["get sources", { kind: "get_sources", location: [], output: "table" }],
  ["get source -o yaml --root-dir=/x", {
    kind: "get_sources",
    location: ["--root-dir=/x"],
    output: "yaml",
  }],
  ["images", { kind: "images", location: [], output: "table" }],
  ["top pods", {
    kind: "top",
    what: "pods",
    namespace: "default",
    location: [],
  }],
  ["top po -A --root-dir=/x", {
    kind: "top",
    what: "pods",
    namespace: undefined,
    location: ["--root-dir=/x"],
  }],
  ["top node -n shop", {
    kind: "top",
    what: "node",
    namespace: "shop",
    location: [],
  }],
  ["top nodes", {
    kind: "top",
    what: "node",
    namespace: "default",
    location: [],
  }],
  ["df --control-socket=/s", { kind: "df", location: ["--control-socket=/s"] }],
  ["images -o wide --root-dir=/x", {
    kind: "images",
    location: ["--root-dir=/x"],
    output: "wide",
  }],
  ["image --help", { kind: "help", topic: "image" }],
  ["get po", GET],
  ["get pod web", { ...GET, name: "web" }],
  ["get pods -n kube-system -o wide", {
    ...GET,
    namespace: "kube-system",
    output: "wide",
  }],
  ["get pods -ojson", { ...GET, output: "json" }],
  ["get pods -o=yaml", { ...GET, output: "yaml" }],
  ["get pods --output=name -A", {
    ...GET,
    output: "name",
    namespace: undefined,
  }],
  ["get pods -Aw", { ...GET, namespace: undefined, watch: true }],
  ["get pods --root-dir /x --control-socket=/s --config c", {
    ...GET,
    location: ["--root-dir=/x", "--control-socket=/s", "--config=c"],
  }],
  ["get events", EVENTS],
  ["get ev -A -o wide", { ...EVENTS, namespace: undefined, output: "wide" }],
  ["get events --for pod/web -n ns -w", {
    ...EVENTS,
    pod: "web",
    namespace: "ns",
    watch: true,
  }],
  ["get events --for=pods/web -w -o json --root-dir=/x", {
    ...EVENTS,
    location: ["--root-dir=/x"],
    pod: "web",
    watch: true,
    output: "json",
  }],
  ["describe pod web", { kind: "describe_pod", ...WEB }],
  ["describe pods web -n ns", {
    kind: "describe_pod",
    ...WEB,
    namespace: "ns",
  }],
  ["describe pod/web", { kind: "describe_pod", ...WEB }],
  ["describe -n ns po/web --root-dir=/x", {
    kind: "describe_pod",
    location: ["--root-dir=/x"],
    name: "web",
    namespace: "ns",
  }],
  ["describe --help", { kind: "help", topic: "describe" }],
  ["explain web", { kind: "explain_pod", ...WEB }],
  ["explain pod/web", { kind: "explain_pod", ...WEB }],
  ["explain pod web -n ns", { kind: "explain_pod", ...WEB, namespace: "ns" }],
  ["explain web -o json", { kind: "explain_pod", ...WEB, output: "json" }],
  ["explain svc", { kind: "explain_pod", ...WEB, name: "svc" }],
  ["explain service/web -n ns", { ...EXPLAIN_SERVICE, namespace: "ns" }],
  ["explain svc web", EXPLAIN_SERVICE],
  ["help explain", { kind: "help", topic: "explain" }],
  ["logs web", LOGS],
  ["logs pod/web", LOGS],
  ["logs web -c app -f --tail 5 --timestamps -p -n ns", {
    ...LOGS,
    container: "app",
    follow: true,
    previous: true,
    timestamps: true,
    tailLines: 5,
    namespace: "ns",
  }],
  ["logs web --since 10m --limit-bytes 5", {
    ...LOGS,
    sinceSeconds: 600,
    limitBytes: 5,
  }],
  ["logs web --since 1ms", { ...LOGS, sinceSeconds: 1 }],
  ["logs web --since 1001ms", { ...LOGS, sinceSeconds: 2 }],
  ["logs web --limit-bytes 100000000000000", {
    ...LOGS,
    limitBytes: 100_000_000_000_000,
  }],
  ["logs web --tail 0", { ...LOGS, tailLines: 0 }],
  ["logs web --since-time 2026-01-02T03:04:05Z", {
    ...LOGS,
    sinceTime: "2026-01-02T03:04:05Z",
  }],
  ["logs web app", { ...LOGS, container: "app" }],
  ["logs web --tail=-1", LOGS],
  ["logs web --tail -1", LOGS],
  ["logs web --follow=false", LOGS],
  ["install", INSTALL],
  ["install --program /opt/sk --root-dir /x", {
    ...INSTALL,
    program: "/opt/sk",
    args: ["--root-dir", "/x"],
  }],
  ["install --root-dir=/x --program=/opt/sk --programs=/y", {
    ...INSTALL,
    program: "/opt/sk",
    args: ["--root-dir=/x", "--programs=/y"],
  }],
  ["metrics --root-dir=/x", { kind: "metrics", location: ["--root-dir=/x"] }],
  ["validate a.yaml dir -", {
    kind: "validate",
    files: ["a.yaml", "dir", "-"],
    unknownFields: "refuse",
  }],
  ["validate --unknown-fields=warn a.yaml", {
    kind: "validate",
    files: ["a.yaml"],
    unknownFields: "warn",
  }],
  ["validate -- a.yaml --help", {
    kind: "validate",
    files: ["a.yaml", "--help"],
    unknownFields: "refuse",
  }],
  ["validate --pod-network=10.1.0.0/16,fd00::/64 a.yaml", {
    kind: "validate",
    files: ["a.yaml"],
    unknownFields: "refuse",
    podNetworks: ["10.1.0.0/16", "fd00::/64"],
  }],
];

function split(line: string): string[] {
  return line === "" ? [] : line.split(" ");
}

for (const [line, command] of ROWS) {
  Deno.test(`parseCommand() reads "${line}"`, () => {
    deepStrictEqual(parseCommand(split(line)), { kind: "ok", command });
  });
}

for (
  const [line, fault] of [
    ["gte pods", 'there is no such command, did you mean "get"'],
    ["frobnicate", "there is no such command"],
    ["get", "Cannot get nothing"],
    ["get nodes", 'Cannot get "nodes": there is no such kind'],
    ["get events a", 'Cannot use the argument "a"'],
    ["get events --for web", 'found "web", wanted pod/NAME'],
    ["get events --for svc/web", 'found "svc/web", wanted pod/NAME'],
    ["get events --for pod/web -A", "wanted --for or -A, not both"],
    ["get events -w -o yaml", "Cannot watch with -o yaml"],
    ["get pods --for pod/web", 'wanted it with "get events" only'],
    ["describe deploy,pods a", "Cannot describe pods with other kinds"],
    ["describe deploy/a x/b", 'Cannot describe "x": there is no such kind'],
    ["describe", 'Cannot describe nothing: wanted "pod NAME"'],
    ["describe web", 'Cannot describe "web": wanted "pod NAME"'],
    ["describe node/n1", 'Cannot describe "node/n1": wanted "pod NAME"'],
    ["describe pod", 'Cannot describe "pod": wanted "pod NAME"'],
    ["describe pod a b", 'Cannot use the argument "b"'],
    ["describe pod a -A", "Cannot use -A: there is no such flag"],
    ["explain", 'Cannot explain nothing: wanted "pod/NAME"'],
    ["explain svc/", 'Cannot explain "svc/": wanted KIND/NAME'],
    ["explain svc web db", 'wanted one, as "service/NAME"'],
    ["explain svc/web --output=json", "Cannot use --output"],
    ["explain node/n1", 'Cannot explain "node/n1": wanted "pod/NAME"'],
    ["explain web x", 'Cannot use the argument "x"'],
    ["get sources a", 'Cannot use the argument "a"'],
    ["get sources -A", "Cannot use -A: there is no such flag"],
    ["get pods a -A", "wanted a name or -A, not both"],
    ["get pods -o jsn", 'found "jsn", wanted one of wide, json, yaml, name'],
    ["get pods -w -o json", "Cannot watch with -o json"],
    ["get pods --namespac x", "did you mean --namespace"],
    ["get pods -n", "Cannot use --namespace: found no value"],
    ["get pods -q", "Cannot use -q: there is no such flag"],
    ["logs", "wanted a pod's name"],
    ["logs web --tail many", 'found "many"'],
    ["logs web --since soon", 'found "soon", wanted a duration such as 10m'],
    ["logs web --since 0s", 'found "0s", wanted a duration such as 10m'],
    ["logs web --limit-bytes 0", "wanted a whole number of at least 1"],
    ["logs web --since 1s --since-time x", "wanted it without --since-time"],
    ["logs web a -c b", "wanted one container"],
    ["logs web --follow=maybe", "wanted true or false"],
    ["images a", 'Cannot use the argument "a"'],
    ["images -o table", 'found "table", wanted one of wide, json, yaml, name'],
    ["image import a.tar", "ctr --namespace k8s.io images import a.tar"],
    ["image import", "ctr --namespace k8s.io images import FILE"],
    ["image", 'Cannot use nothing with images: "skerry images" lists them'],
    ["image rm x", 'Cannot use "rm" with images'],
    ["top", 'Cannot show nothing: wanted "pods" or "node"'],
    ["top svc", 'Cannot show "svc": wanted "pods" or "node"'],
    ["top pods web", 'Cannot use the argument "web"'],
    ["df x", 'Cannot use the argument "x"'],
    ["install --program", "found no value, wanted an absolute path"],
    ["install --program=", 'found "", wanted an absolute path'],
    ["install --program sk", 'found "sk", wanted an absolute path'],
    ["install --program=/a\tb", 'found "/a\\tb", wanted an absolute path'],
    ["explain web -o wide", 'found "wide", wanted json or yaml'],
    ["logs web --limit-bytes 1000000000000000", "a whole number of at least"],
    ["logs web --tail 1000000000000000", "wanted a whole number of at least 0"],
    ["version x", 'Cannot use the argument "x"'],
    ["metrics x", 'Cannot use the argument "x"'],
    ["version --root-dir=/x", "there is no such flag"],
    ["validate", "wanted files, directories or -"],
    ["validate --unknown-fields=ignore x", "wanted refuse or warn"],
    ["validate --pod-network=10.1 x", "10.88.0.0/16"],
  ] as const
) {
  Deno.test(`parseCommand() refuses "${line}"`, () => {
    const result = parseCommand(split(line));
    ok(result.kind === "refused");
    strictEqual(result.faults.length, 1, result.faults.join("\n"));
    ok(result.faults[0]?.includes(fault), String(result.faults[0]));
  });
}
