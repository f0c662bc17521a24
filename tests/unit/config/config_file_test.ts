/**
 * The configuration file, field by field.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { FIELDS, readConfigText } from "../../../mod/config/config_file.ts";
import { completeSettings } from "../../../mod/config/complete_settings.ts";
import { durationMs } from "../../../mod/config/decoders.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import {
  fakeIo,
  kubeletFile,
  skerryFile,
} from "../../support/config/config_io.ts";
import { KUBELET_DEFAULTS } from "../../support/config/kubelet_defaults.ts";

const PATH = "/etc/c.yaml";
const KUBELET_FIELDS =
  FIELDS["kubelet.config.k8s.io/v1beta1 KubeletConfiguration"];

/** Builds the nested document that sets one field. */
function nested(path: string, value: unknown): Record<string, unknown> {
  return path.split(".").reduceRight<unknown>(
    (inside, name) => ({ [name]: inside }),
    value,
  ) as Record<string, unknown>;
}

function merge(
  into: Record<string, unknown>,
  from: Record<string, unknown>,
): Record<string, unknown> {
  for (const [key, value] of Object.entries(from)) {
    const there = into[key];
    into[key] = typeof there === "object" && there !== null &&
        typeof value === "object" && value !== null
      ? merge({ ...there }, { ...value })
      : value;
  }
  return into;
}

function kubeletJson(...parts: readonly Record<string, unknown>[]): string {
  return JSON.stringify(parts.reduce(merge, {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
  }));
}

for (const field of KUBELET_FIELDS) {
  Deno.test(`readConfigText() takes ${field.path} at its default and null`, () => {
    for (const value of [KUBELET_DEFAULTS[field.path] ?? null, null]) {
      const text = kubeletJson(nested(field.path, value));
      deepStrictEqual(readConfigText(text, PATH).faults, []);
    }
  });
}

Deno.test("readConfigText() takes a file that sets every default", async () => {
  const parts = KUBELET_FIELDS.flatMap((field) => {
    const value = KUBELET_DEFAULTS[field.path];
    return value === undefined ? [] : [nested(field.path, value)];
  });
  const parsed = await parseRunArguments(
    ["--config=/c"],
    fakeIo({ "/c": kubeletJson(...parts) }),
  );
  const plain = await parseRunArguments([], fakeIo());
  ok(parsed.kind === "ok" && plain.kind === "ok", JSON.stringify(parsed));
  const { runtime } = plain.config;
  deepStrictEqual({ ...parsed.config, configPath: undefined }, {
    ...plain.config,
    // Upstream's default has a meaning of its own when it is given.
    runtime: { ...runtime, parallelPulls: 1 },
  });
  strictEqual(parsed.warnings.length - plain.warnings.length, 1);
});

Deno.test("readConfigText() takes a file as kubeadm writes it, with zeros for defaults", () => {
  const reading = readConfigText(
    kubeletFile(
      "authentication:",
      "  anonymous: {enabled: false}",
      "  webhook: {cacheTTL: 0s, enabled: true}",
      "  x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}",
      "authorization:",
      "  mode: Webhook",
      "  webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}",
      "cgroupDriver: systemd",
      "clusterDNS: [10.96.0.10]",
      "clusterDomain: cluster.local",
      'containerRuntimeEndpoint: ""',
      "cpuManagerReconcilePeriod: 0s",
      "crashLoopBackOff: {}",
      "evictionPressureTransitionPeriod: 0s",
      "fileCheckFrequency: 0s",
      "healthzBindAddress: 127.0.0.1",
      "healthzPort: 10248",
      "httpCheckFrequency: 0s",
      'imageServiceEndpoint: ""',
      "imageMaximumGCAge: 0s",
      "imageMinimumGCAge: 0s",
      "logging:",
      "  flushFrequency: 0",
      "  options:",
      '    json: {infoBufferSize: "0"}',
      '    text: {infoBufferSize: "0"}',
      "  verbosity: 0",
      "memorySwap: {}",
      "nodeStatusReportFrequency: 0s",
      "nodeStatusUpdateFrequency: 0s",
      "resolvConf: /run/systemd/resolve/resolv.conf",
      "rotateCertificates: true",
      "runtimeRequestTimeout: 0s",
      "shutdownGracePeriod: 0s",
      "shutdownGracePeriodCriticalPods: 0s",
      "staticPodPath: /etc/kubernetes/manifests",
      "streamingConnectionIdleTimeout: 0s",
      "syncFrequency: 0s",
      "volumeStatsAggPeriod: 0s",
    ),
    PATH,
  );
  deepStrictEqual(reading.faults, []);
  const { kubelet } = reading;
  strictEqual(kubelet.get("staticPodPath"), "/etc/kubernetes/manifests");
  strictEqual(kubelet.get("syncFrequency"), undefined);
  strictEqual(kubelet.get("cgroupDriver"), "systemd");
  deepStrictEqual(kubelet.get("clusterDNS"), ["10.96.0.10"]);
});

Deno.test("readConfigText() lists all ignored fields in one warning", () => {
  const { faults, warnings } = readConfigText(
    kubeletFile(
      "failSwapOn: false",
      "authentication: {anonymous: {enabled: true}}",
      "authorization: {mode: AlwaysAllow}",
      "readOnlyPort: 10255",
    ),
    PATH,
  );
  deepStrictEqual(faults, []);
  strictEqual(warnings.length, 1);
  ok(
    warnings[0]?.endsWith(
      "ignored: failSwapOn, authentication.anonymous.enabled, authorization.mode, readOnlyPort",
    ),
    String(warnings[0]),
  );
});

for (
  const [name, text, fault] of [
    [
      "a misspelt field",
      kubeletFile("evictonHard: {}"),
      'Cannot use evictonHard: there is no such field, did you mean "evictionHard"',
    ],
    [
      "a misspelt inner field",
      kubeletFile("authentication: {anonymos: {enabled: true}}"),
      'Cannot use authentication.anonymos: there is no such field, did you mean "authentication.anonymous"',
    ],
    [
      "a field on the wrong branch",
      kubeletFile("clientCAFile: /x"),
      'Cannot use clientCAFile: there is no such field, did you mean "authentication.x509.clientCAFile"',
    ],
    [
      "a field like no other",
      kubeletFile("frobnicate: 1"),
      "Cannot use frobnicate: there is no such field",
    ],
    [
      "a field of the other document",
      kubeletFile("rootDir: /x"),
      "Cannot use rootDir: it is no field of this kind, it belongs in a document of kind skerry.dev/v1alpha1 SkerryConfiguration",
    ],
    [
      "a fixed field at another value",
      kubeletFile("featureGates: {A: true}"),
      'Cannot honour featureGates yet: found {"A":true}, wanted it to be left out',
    ],
    [
      "an eviction threshold that is no text",
      kubeletFile("evictionHard: {memory.available: 5}"),
      'Cannot use evictionHard: found {"memory.available":5}, wanted amounts by signal such as "memory.available<100Mi"',
    ],
    [
      "a wrong type",
      kubeletFile('maxPods: "many"'),
      'Cannot use maxPods: found "many", wanted a whole number of at least 0',
    ],
    [
      "a wrong type of an ignored field",
      kubeletFile("failSwapOn: maybe"),
      'Cannot use failSwapOn: found "maybe", wanted true or false',
    ],
    [
      "a leaf where a branch should be",
      kubeletFile("authentication: none"),
      'Cannot use authentication: found "none", wanted a map',
    ],
    [
      "a percentage of more than all",
      kubeletFile("imageGCHighThresholdPercent: 101"),
      "Cannot use imageGCHighThresholdPercent: found 101, wanted a whole number from 0 to 100",
    ],
    [
      "a document that is a list",
      "- maxPods: 1\n",
      'Cannot use [{"maxPods":1}] as a document: wanted kubelet.config.k8s.io/v1beta1 KubeletConfiguration',
    ],
    [
      "another kind",
      "apiVersion: v1\nkind: Pod\n",
      'Cannot use a document of kind "v1 Pod": wanted kubelet.config.k8s.io/v1beta1 KubeletConfiguration or skerry.dev/v1alpha1 SkerryConfiguration',
    ],
    [
      "two documents of one kind",
      skerryFile("rootDir: /a") + skerryFile("rootDir: /b"),
      "Cannot use a second document of kind skerry.dev/v1alpha1 SkerryConfiguration",
    ],
    [
      "a manifest URL of another scheme",
      kubeletFile('staticPodURL: "ftp://user:hunter2@x/"'),
      'Cannot use staticPodURL: found (not shown), wanted a URL such as "https://host/manifests.yaml", of scheme http or https',
    ],
    [
      "a header of the manifest URL that is no list",
      kubeletFile("staticPodURLHeader: {X-Token: hunter2}"),
      "Cannot use staticPodURLHeader: found (not shown), wanted a map of headers to lists of values, without those that the agent sets itself",
    ],
  ] as const
) {
  Deno.test(`readConfigText() judges ${name}`, () => {
    const { faults } = readConfigText(text, PATH);
    deepStrictEqual(
      faults.map((each) => each.replace(/^\/etc\/c\.yaml(?::\d+)?: /, "")),
      [fault],
    );
  });
}

Deno.test("readConfigText() refuses an empty file and one that is no YAML", () => {
  ok(readConfigText("", PATH).faults[0]?.includes("empty file"));
  ok(readConfigText("# nothing\n", PATH).faults[0]?.includes("empty file"));
  strictEqual(readConfigText("a: [", PATH).faults.length, 1);
  strictEqual(
    readConfigText(kubeletFile("maxPods: 1", "maxPods: 2"), PATH).faults.length,
    1,
  );
});

Deno.test("readConfigText() reads the second document alone and in either order", () => {
  const skerry = skerryFile(
    "relistPeriod: 250ms",
    "nodeLabels: {zone: a}",
    "podNetworks: [10.1.0.0/16]",
    "logFormat: json",
    "logLevel: debug",
    "maxParallelSandboxStarts: 3",
  );
  const alone = readConfigText(skerry, PATH);
  deepStrictEqual(alone.faults, []);
  strictEqual(alone.skerry.get("relistPeriod"), 250);
  strictEqual(alone.skerry.get("logFormat"), "json");
  strictEqual(alone.skerry.get("logLevel"), "debug");
  const kubelet = kubeletFile("maxPods: 7", "logging: {format: text}");
  for (const text of [`${kubelet}${skerry}`, `${skerry}---\n${kubelet}`]) {
    const both = readConfigText(text, PATH);
    deepStrictEqual(both.faults, []);
    strictEqual(both.kubelet.get("maxPods"), 7);
    const settings = completeSettings({ ...both, flags: new Map() });
    strictEqual(settings.log.format, "json");
  }
});

Deno.test("FIELDS have no path twice and no leaf that is a branch", () => {
  for (const fields of Object.values(FIELDS)) {
    const paths = fields.map(({ path }) => path);
    strictEqual(new Set(paths).size, paths.length);
    for (const path of paths) {
      ok(!paths.some((other) => other.startsWith(`${path}.`)), path);
    }
  }
});

Deno.test("durationMs takes Go's syntax only and nothing below zero", () => {
  strictEqual(durationMs.decode("1m30s", "/"), 90_000);
  strictEqual(durationMs.decode("0s", "/"), 0);
  for (const bad of ["-1s", "20", "", 20, null]) {
    strictEqual(durationMs.decode(bad, "/"), undefined);
  }
});

Deno.test("readConfigText() reads a text of thousands of wrong fields once for all their lines", () => {
  const head =
    "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n";
  const wrong = Array.from({ length: 5000 }, (_, at) => `wrong${at}: 1\n`);
  const { faults } = readConfigText(head + wrong.join(""), PATH);
  deepStrictEqual(
    faults,
    wrong.map((_, at) =>
      `${PATH}:${at + 3}: Cannot use wrong${at}: there is no such field`
    ),
  );
});
