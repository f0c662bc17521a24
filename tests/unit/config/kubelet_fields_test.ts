/**
 * The fields of the kubelet's configuration that take no effect.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { readConfigText } from "../../../mod/config/config_file.ts";
import { INERT_KUBELET_FIELDS } from "../../../mod/config/kubelet_fields.ts";
import { kubeletFile } from "../../support/config/config_io.ts";
import { KUBELET_DEFAULTS } from "../../support/config/kubelet_defaults.ts";

const PATH = "/etc/c.yaml";

/** A file of one field. */
function read(path: string, value: unknown) {
  const inside = path.split(".").reduceRight(
    (inner, name) => `{${name}: ${inner}}`,
    JSON.stringify(value),
  );
  return readConfigText(kubeletFile(inside.slice(1, -1)), PATH);
}

/** A value of the same kind as a default. */
function otherThan(value: unknown): unknown {
  switch (typeof value) {
    case "boolean":
      return !value;
    case "number":
      return value + 1;
    default:
      return /^\d+[sm]$/.test(String(value)) ? "7s" : "7";
  }
}

for (const { path, treatment } of INERT_KUBELET_FIELDS) {
  if (treatment !== "fixed" || !Object.hasOwn(KUBELET_DEFAULTS, path)) continue;
  const upstream = KUBELET_DEFAULTS[path];
  const other = otherThan(upstream);
  Deno.test(`readConfigText() refuses ${path} at ${JSON.stringify(other)}, which it does not honour yet`, () => {
    deepStrictEqual(read(path, other).faults, [
      `${PATH}:3: Cannot honour ${path} yet: found ${
        JSON.stringify(other)
      }, wanted its default ${JSON.stringify(upstream)}`,
    ]);
  });
}

Deno.test("readConfigText() refuses a field that it does not honour and that has no default", () => {
  deepStrictEqual(read("tracing.samplingRatePerMillion", 0).faults, [
    `${PATH}:3: Cannot honour tracing.samplingRatePerMillion yet: found 0, wanted it to be left out`,
  ]);
});

for (
  const [path, good, bad, wanted] of [
    ["oomScoreAdj", [], [-1001, 1001], "a whole number from -1000 to 1000"],
    ["nodeStatusMaxImages", [-1, 0], [-2], "a whole number of at least -1"],
    ["kubeAPIQPS", [-1], [1.5, "1"], "a whole number"],
    [
      "readOnlyPort",
      [1, 65_535],
      [-1, 65_536],
      "a whole number from 0 to 65535",
    ],
    [
      "tlsCurvePreferences",
      [[23]],
      [["x"]],
      "a list, each of it a whole number",
    ],
    ["address", ["::", "10.0.0.1"], ["all", "10.0.0.256"], "an IP address"],
  ] as const
) {
  Deno.test(`readConfigText() wants of ${path} ${wanted}`, () => {
    for (const value of good) deepStrictEqual(read(path, value).faults, []);
    for (const value of bad) {
      const found = JSON.stringify(value);
      deepStrictEqual(read(path, value).faults, [
        `${PATH}:3: Cannot use ${path}: found ${found}, wanted ${wanted}`,
      ]);
    }
  });
}

Deno.test("readConfigText() takes sizes of log buffers as text and as number", () => {
  for (const value of ["0", 0]) {
    deepStrictEqual(
      read("logging.options.json.infoBufferSize", value).faults,
      [],
    );
  }
  const [fault] = read("logging.options.json.infoBufferSize", true).faults;
  ok(fault?.endsWith("found true, wanted a quantity"), String(fault));
});

Deno.test("readConfigText() takes a duration that a writer left as nanoseconds", () => {
  deepStrictEqual(read("logging.flushFrequency", 5_000_000_000).faults, []);
  const [fault] = read("logging.flushFrequency", 5_000_000).faults;
  ok(fault?.endsWith('found 5000000, wanted its default "5s"'), String(fault));
});

for (
  const [value, named] of [
    ["enableContentionProfiling: true", ["enableContentionProfiling"]],
    ["enableContentionProfiling: false", []],
    ["tlsCertFile: ''", []],
    ["tlsCipherSuites: []", []],
    ["tlsCipherSuites: [a]", ["tlsCipherSuites"]],
    // In upstream's type these are pointers: empty is a value.
    ["enableServer: false", ["enableServer"]],
  ] as const
) {
  Deno.test(`readConfigText() names ${named.length} ignored fields of ${value}`, () => {
    const { faults, warnings } = readConfigText(kubeletFile(value), PATH);
    deepStrictEqual(faults, []);
    deepStrictEqual(
      warnings.map((each) => each.replace(/.*ignored: /, "")),
      named,
    );
  });
}
