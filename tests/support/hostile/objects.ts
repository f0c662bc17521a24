/**
 * Documents beside pods that are wrong.
 *
 * @module
 */

import { type HostileManifest, type ManifestPart, wrong } from "./row.ts";

/** ConfigMaps, Secrets, claims and runtime classes that must not count. */
export function hostileObjects(): HostileManifest[] {
  return [...configMaps(), ...secrets(), ...claims(), ...runtimeClasses()];
}

function object(
  kind: string,
  more: ManifestPart,
  apiVersion = "v1",
): ManifestPart {
  return { apiVersion, kind, metadata: { name: "hostile" }, ...more };
}

function configMaps(): HostileManifest[] {
  const map = (title: string, more: ManifestPart, names: RegExp) =>
    wrong(`configmap-${title}`, object("ConfigMap", more), names);
  return [
    map("empty", { metadata: undefined }, /metadata/),
    map("name", { metadata: { name: "../x" } }, /metadata\.name/),
    map(
      "namespace",
      { metadata: { name: "a", namespace: "a/b" } },
      /metadata\.namespace/,
    ),
    map("data-list", { data: ["a"] }, /data/),
    map("data-text", { data: "a" }, /data/),
    map("value-number", { data: { a: 1 } }, /data/),
    map("value-map", { data: { a: { b: "c" } } }, /data/),
    map("key-dots", { data: { "..": "x" } }, /data/),
    map("key-slash", { data: { "a/b": "x" } }, /data/),
    map("key-empty", { data: { "": "x" } }, /data/),
    map("key-long", { data: { ["a".repeat(254)]: "x" } }, /data/),
    map("key-leading-dots", { data: { "..a": "x" } }, /data/),
    map("binary", { binaryData: { a: "!!!" } }, /binaryData/),
    map(
      "key-twice",
      { data: { a: "x" }, binaryData: { a: "eA==" } },
      /binaryData|data/,
    ),
    map("too-large", { data: { a: "x".repeat((1 << 20) + 1) } }, /data|bytes/),
    map("immutable", { immutable: "yes" }, /immutable/),
    map("unknown", { spec: {} }, /spec/),
    map("version", { apiVersion: "v2" }, /apiVersion/),
  ];
}

const VALUE = "hunter2-hunter2";

function secrets(): HostileManifest[] {
  const secret = (title: string, more: ManifestPart, names: RegExp) => ({
    ...wrong(`secret-${title}`, object("Secret", more), names),
    hides: VALUE,
  });
  return [
    secret("base64", { data: { a: `${VALUE}!` } }, /data/),
    secret("number", { data: { a: 5 }, stringData: { b: VALUE } }, /data/),
    secret("data-text", { data: VALUE }, /data/),
    secret("list", { stringData: [VALUE] }, /stringData/),
    secret("value-map", { stringData: { a: { b: VALUE } } }, /stringData/),
    secret("key", { stringData: { "../a": VALUE } }, /stringData/),
    secret("type", { type: 5, stringData: { a: VALUE } }, /type/),
    secret("docker", {
      type: "kubernetes.io/dockerconfigjson",
      stringData: { a: VALUE },
    }, /dockerconfigjson/),
    secret("docker-json", {
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": VALUE },
    }, /dockerconfigjson/),
    secret("tls", {
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": VALUE },
    }, /tls\.key/),
    secret("unknown", { stringdata: { a: VALUE } }, /stringdata/),
    {
      ...wrong(
        "secret-syntax",
        `kind: Secret\napiVersion: v1\nstringData:\n  a: "${VALUE}\\q"\n`,
        /line 4/,
      ),
      hides: VALUE,
    },
    {
      ...wrong(
        "secret-twice",
        `kind: Secret\napiVersion: v1\nstringData:\n  a: ${VALUE}\n  a: ${VALUE}\n`,
        /line 5/,
      ),
      hides: VALUE,
    },
  ];
}

function claims(): HostileManifest[] {
  const claim = (title: string, spec: ManifestPart, names: RegExp) =>
    wrong(
      `claim-${title}`,
      object("PersistentVolumeClaim", {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          ...spec,
        },
      }),
      names,
    );
  return [
    claim("modes", { accessModes: ["Always"] }, /accessModes/),
    claim("no-modes", { accessModes: [] }, /accessModes/),
    claim("modes-text", { accessModes: "ReadWriteOnce" }, /accessModes/),
    claim("size", { resources: { requests: { storage: "big" } } }, /storage/),
    claim(
      "size-zero",
      { resources: { requests: { storage: "0" } } },
      /storage/,
    ),
    claim("no-size", { resources: {} }, /resources|storage/),
    claim("block", { volumeMode: "Tape" }, /volumeMode/),
    claim("unknown", { storage: "1Gi" }, /spec\.storage/),
    wrong("claim-no-spec", object("PersistentVolumeClaim", {}), /spec/),
    wrong(
      "claim-name",
      { ...object("PersistentVolumeClaim", {}), metadata: { name: ".." } },
      /metadata\.name/,
    ),
  ];
}

function runtimeClasses(): HostileManifest[] {
  const runtimeClass = (title: string, more: ManifestPart, names: RegExp) =>
    wrong(
      `runtimeclass-${title}`,
      object("RuntimeClass", { handler: "runc", ...more }, "node.k8s.io/v1"),
      names,
    );
  return [
    runtimeClass("version", { apiVersion: "v1" }, /apiVersion/),
    runtimeClass("no-handler", { handler: "" }, /handler/),
    runtimeClass("handler", { handler: "../runc" }, /handler/),
    runtimeClass(
      "overhead",
      { overhead: { podFixed: { cpu: "x" } } },
      /overhead/,
    ),
    runtimeClass(
      "selector",
      { scheduling: { nodeSelector: { "a b": "c" } } },
      /nodeSelector/,
    ),
    runtimeClass("name", { metadata: { name: "A B" } }, /metadata\.name/),
    runtimeClass("unknown", { handlers: [] }, /handlers/),
  ];
}
