/**
 * Manifests that must not run, each wrong in one way.
 *
 * @module
 */

/** What a hostile manifest is and what a fault of it names. */
export interface HostileManifest {
  /** Says what is wrong; part of the file's name. */
  readonly title: string;
  readonly content: string | Uint8Array;
  /** What the report has to say, so that an operator finds the place. */
  readonly names: RegExp;
}

type Json = Record<string, unknown>;

/** All of them, in the order of the corpus. */
export function hostileManifests(): HostileManifest[] {
  return [...texts(), ...shapes(), ...metadata(), ...specs(), ...containers()];
}

function pod(spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "hostile", ...metadata },
    spec: { containers: [main()], ...spec },
  };
}

function main(more: Json = {}): Json {
  return { name: "main", image: "localhost/busybox:1.35", ...more };
}

/** A pod whose one container has something more. */
function withContainer(more: Json): Json {
  return pod({ containers: [main(more)] });
}

function wrong(
  title: string,
  content: string | Uint8Array | Json,
  names: RegExp,
): HostileManifest {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  return { title, content: isWhole ? content : JSON.stringify(content), names };
}

const HEAD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hostile\nspec:\n";
const RUNS = `${HEAD}  containers:\n  - name: main\n    image: x\n`;

function texts(): HostileManifest[] {
  const laughs = Array.from(
    { length: 12 },
    (_, at) =>
      `x${at}: &x${at} [${
        Array(10).fill(at === 0 ? "lol" : `*x${at - 1}`).join(", ")
      }]`,
  ).join("\n");
  return [
    wrong("empty", "", /no document/),
    wrong("comments", "# nothing\n# at all\n", /no document/),
    wrong("separators", "---\n---\n", /no document/),
    wrong("truncated", '{"apiVersion": "v1", "kind": "Po', /line 1/),
    wrong(
      "truncated-utf8",
      new Uint8Array([0x61, 0x3a, 0x20, 0xe2, 0x82]),
      /utf-8/,
    ),
    wrong("elf", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 0, 0]), /binary/),
    wrong("gzip", new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0]), /binary/),
    wrong("nul", new Uint8Array(1 << 20), /binary/),
    wrong("random", randomBytes(65_536), /binary|utf-8/),
    wrong("tabs", "apiVersion: v1\nkind:\tPod\n\tmetadata: {}\n", /line/),
    wrong("deep-lists", "[".repeat(10_000), /200 levels|line/),
    wrong("deep-maps", '{"a":'.repeat(10_000), /200 levels|line/),
    wrong("deep-dashes", "- ".repeat(1 << 19), /200 levels|line/),
    wrong("laughs", `${laughs}\n`, /values|aliases/),
    wrong("cycle", "a: &a [*a]\n", /line 1/),
    wrong("many-values", "- a\n".repeat(200_000), /values/),
    wrong(
      "duplicate-key",
      `${HEAD}  containers:\n  - name: a\n    image: x\n    image: y\n`,
      /line 9|image/,
    ),
    wrong("tag-js", `${HEAD}  x: !!js/function "f(){}"\n`, /line 6|tag/),
    wrong("tag-own", `${HEAD}  x: !secret y\n`, /line 6|tag/),
    wrong("two-json", `${JSON.stringify(pod())}${JSON.stringify(pod())}`, /./),
    wrong(
      "one-bad-document",
      `${RUNS}---\n${HEAD}  containers: []\n`,
      /document 2.*spec\.containers/,
    ),
  ];
}

function shapes(): HostileManifest[] {
  return [
    wrong("scalar", "just a text\n", /mapping|Invalid/),
    wrong("list", "- 1\n- 2\n", /mapping|Invalid/),
    wrong("kind-missing", "apiVersion: v1\n", /kind/),
    wrong("deployment", { apiVersion: "apps/v1", kind: "Deployment" }, /kind/),
    wrong("configmap", { apiVersion: "v1", kind: "ConfigMap" }, /kind/),
    wrong("v1beta3", { ...pod(), apiVersion: "v1beta3" }, /apiVersion/),
    wrong(
      "misspelt",
      pod({ restatPolicy: "Never" }),
      /restatPolicy.*restartPolicy/,
    ),
    wrong("wrong-case", withContainer({ Image: "x" }), /Image/),
    wrong("containers-map", pod({ containers: {} }), /spec\.containers/),
    wrong("ports-text", withContainer({ ports: "80" }), /ports/),
    wrong("env-map", withContainer({ env: { A: 1 } }), /env/),
    wrong("proto-yaml", `${RUNS}  __proto__:\n    a: 1\n`, /__proto__/),
  ];
}

function metadata(): HostileManifest[] {
  const name = (title: string, value: string) =>
    wrong(`name-${title}`, pod({}, { name: value }), /metadata\.name/);
  return [
    name("empty", ""),
    name("long", "a".repeat(254)),
    name("upper", "Web"),
    name("underscore", "a_b"),
    name("dots", ".."),
    name("dash", "-a"),
    name("unicode", "wéb"),
    name("newline", "a\nb"),
    name("slash", "a/b"),
    wrong(
      "generate-name",
      { ...pod(), metadata: { generateName: "web-" } },
      /metadata\.name/,
    ),
    wrong("namespace", pod({}, { namespace: "../x" }), /metadata\.namespace/),
    wrong("uid-path", pod({}, { uid: "../../etc" }), /metadata\.uid/),
    wrong("uid-long", pod({}, { uid: "a".repeat(10_240) }), /metadata\.uid/),
    wrong("label", pod({}, { labels: { "a b": "c" } }), /metadata\.labels/),
    wrong(
      "label-value",
      pod({}, { labels: { a: "x".repeat(64) } }),
      /metadata\.labels/,
    ),
    wrong(
      "annotations",
      pod({}, { annotations: { a: "x".repeat((256 << 10) + 1) } }),
      /metadata\.annotations/,
    ),
  ];
}

function specs(): HostileManifest[] {
  const volume = (title: string, more: Json) =>
    wrong(
      `volume-${title}`,
      pod({ volumes: [{ name: "v", ...more }] }),
      /spec\.volumes/,
    );
  return [
    wrong("no-containers", pod({ containers: [] }), /spec\.containers/),
    wrong(
      "same-containers",
      pod({ containers: [main(), main()] }),
      /containers\[1\]\.name/,
    ),
    wrong("grace", pod({ terminationGracePeriodSeconds: -1 }), /Grace/),
    wrong("deadline", pod({ activeDeadlineSeconds: 0 }), /activeDeadline/),
    wrong("restart-policy", pod({ restartPolicy: "Maybe" }), /restartPolicy/),
    wrong("runtime-class", pod({ runtimeClassName: "kata" }), /runtimeClass/),
    wrong("host-users", pod({ hostUsers: false }), /hostUsers/),
    wrong(
      "same-volumes",
      pod({
        volumes: [{ name: "v", emptyDir: {} }, { name: "v", emptyDir: {} }],
      }),
      /volumes\[1\]\.name/,
    ),
    volume("two-sources", { emptyDir: {}, hostPath: { path: "/x" } }),
    volume("unknown", { floppy: {} }),
    volume("git", { gitRepo: { repository: "x" } }),
    volume("secret", { secret: { secretName: "x" } }),
    volume("host-dots", { hostPath: { path: "/a/../b" } }),
    volume("host-none", { hostPath: { path: "" } }),
  ];
}

function containers(): HostileManifest[] {
  const field = (title: string, more: Json, names: RegExp) =>
    wrong(title, withContainer(more), names);
  const port = (title: string, containerPort: unknown) =>
    field(`port-${title}`, { ports: [{ containerPort }] }, /containerPort/);
  const memory = (title: string, value: string) =>
    field(
      `memory-${title}`,
      { resources: { limits: { memory: value } } },
      /resources\.limits/,
    );
  return [
    ...([["zero", 0], ["minus", -1], ["big", 65_536], ["half", 80.5]] as const)
      .map(([title, value]) => port(title, value)),
    ...(["1.5.3", "-1Mi", "1KiB", "Inf", " 1"] as const)
      .map((value, at) => memory(String(at), value)),
    field("image-empty", { image: "" }, /image/),
    field("image-space", { image: " x" }, /image/),
    field("policy", { imagePullPolicy: "Sometimes" }, /imagePullPolicy/),
    field("env-name", { env: [{ name: "A=B", value: "" }] }, /env\[0\]/),
    field("env-empty", { env: [{ name: "" }] }, /env\[0\]/),
    field(
      "mount-without-volume",
      { volumeMounts: [{ name: "nope", mountPath: "/x" }] },
      /volumeMounts\[0\]/,
    ),
    field("protocol", {
      ports: [{ containerPort: 80, protocol: "ICMP" }],
    }, /protocol/),
    field("user", { securityContext: { runAsUser: -1 } }, /runAsUser/),
    field("user-big", {
      securityContext: { runAsUser: 2 ** 31 },
    }, /runAsUser/),
    field("probe", { livenessProbe: { periodSeconds: -1 } }, /livenessProbe/),
    field("requests", {
      resources: { limits: { cpu: "1" }, requests: { cpu: "2" } },
    }, /resources\.requests/),
    field("privileged", {
      securityContext: { privileged: true, allowPrivilegeEscalation: false },
    }, /securityContext/),
  ];
}

function randomBytes(length: number): Uint8Array {
  // Reproducible, with a NUL for certain.
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[at] = state >> 16;
  }
  bytes[7] = 0;
  return bytes;
}
