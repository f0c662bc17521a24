/**
 * What is refused in ConfigMaps, Secrets, claims and runtime classes.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../mod/api/objects/objects.ts";
import { claimParts, objectJson } from "../../support/api/object_json.ts";
import { type Draft, faultsOf } from "../../support/api/drafts.ts";

const MIB = 1024 * 1024;

/** What is wrong, the object, the field that is blamed, what is said. */
type Row = readonly [string, LocalObject["kind"], Draft, string, RegExp];

const REFUSED_METADATA: readonly Row[] = [
  ["no name", "ConfigMap", { metadata: {} }, "metadata.name", /Required/],
  ["no metadata", "Secret", { metadata: null }, "metadata.name", /Required/],
  [
    "a name in capitals",
    "Secret",
    { metadata: { name: "Web" } },
    "metadata.name",
    /RFC 1123 subdomain/,
  ],
  [
    "a name of 254 characters",
    "ConfigMap",
    { metadata: { name: "n".repeat(254) } },
    "metadata.name",
    /no more than 253/,
  ],
  [
    "a name that leads elsewhere (SE-01)",
    "PersistentVolumeClaim",
    { ...claimParts(), metadata: { name: "../../etc" } },
    "metadata.name",
    /RFC 1123/,
  ],
  [
    "a namespace with a dot",
    "ConfigMap",
    { metadata: { name: "a", namespace: "a.b" } },
    "metadata.namespace",
    /RFC 1123 label/,
  ],
  [
    "a label that is none",
    "ConfigMap",
    { metadata: { name: "a", labels: { "a b": "c" } } },
    "metadata.labels[a b]",
    /must consist of/,
  ],
  [
    "a finalizer",
    "PersistentVolumeClaim",
    { ...claimParts(), metadata: { name: "a", finalizers: ["x/y"] } },
    "metadata.finalizers",
    /no effect/,
  ],
  ["an unknown field", "ConfigMap", { dat: {} }, "dat", /did you mean "data"/],
  ["a status", "ConfigMap", { status: {} }, "status", /no field "status"/],
  ["stringData", "ConfigMap", { stringData: {} }, "stringData", /Unknown/],
  [
    "the version of another kind",
    "RuntimeClass",
    { apiVersion: "v1", handler: "runc" },
    "apiVersion",
    /"v1": supported values: "node.k8s.io\/v1"$/,
  ],
  [
    "the version of another kind",
    "ConfigMap",
    { apiVersion: "node.k8s.io/v1" },
    "apiVersion",
    /supported values: "v1"$/,
  ],
  [
    "the word immutable",
    "ConfigMap",
    { immutable: "yes" },
    "immutable",
    /wanted true or false/,
  ],
];

const REFUSED_KEYED: readonly Row[] = [
  ["data that is a list", "ConfigMap", { data: [] }, "data", /a mapping/],
  [
    "a number",
    "ConfigMap",
    { data: { a: 5 } },
    "data[a]",
    /Invalid value: 5: wanted a string, found a number; write it in quotes/,
  ],
  ["a mapping", "ConfigMap", { data: { a: {} } }, "data[a]", /wanted a string/],
  ["the empty key", "ConfigMap", { data: { "": "" } }, "data[]", /Invalid key/],
  ["key .", "ConfigMap", { data: { ".": "" } }, "data[.]", /must not be '.'/],
  ["key ..", "ConfigMap", { data: { "..": "" } }, "data[..]", /start with/],
  ["key ..a", "Secret", { data: { "..a": "" } }, "data[..a]", /start with/],
  [
    "key a/b",
    "Secret",
    { stringData: { "a/b": "" } },
    "stringData[a/b]",
    /'_'/,
  ],
  [
    "a key of 254 characters",
    "ConfigMap",
    { binaryData: { ["k".repeat(254)]: "" } },
    `binaryData[${"k".repeat(254)}]`,
    /no more than 253/,
  ],
  [
    "a key in both data and binaryData",
    "ConfigMap",
    { data: { a: "" }, binaryData: { a: "" } },
    "binaryData[a]",
    /present in data/,
  ],
  [
    "binaryData that is text",
    "ConfigMap",
    { binaryData: { a: "plain text" } },
    "binaryData[a]",
    /wanted base64/,
  ],
  [
    "a ConfigMap of more than 1 MiB",
    "ConfigMap",
    { data: { a: "x".repeat(MIB / 2), b: "ü".repeat(MIB / 4), c: "y" } },
    "",
    /1048577 bytes, may not be more than 1048576/,
  ],
  [
    "a Secret of more than 1 MiB",
    "Secret",
    { data: { a: btoa("x".repeat(MIB)) }, stringData: { b: "y" } },
    "data",
    /1048577 bytes/,
  ],
  [
    "a Secret's data that is text",
    "Secret",
    { data: { a: "hunter2" } },
    "data[a]",
    /\(not shown\): wanted base64.*stringData/,
  ],
  [
    "a tls Secret without its key",
    "Secret",
    { type: "kubernetes.io/tls", data: { "tls.crt": "" } },
    "data[tls.key]",
    /Required value/,
  ],
  [
    "a basic-auth Secret of nothing",
    "Secret",
    { type: "kubernetes.io/basic-auth" },
    "data",
    /"username" or "password"/,
  ],
  [
    "an ssh-auth Secret with an empty key",
    "Secret",
    { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
    "data[ssh-privatekey]",
    /Required value/,
  ],
  [
    "a dockerconfigjson Secret without it",
    "Secret",
    { type: "kubernetes.io/dockerconfigjson", data: { a: "" } },
    "data[.dockerconfigjson]",
    /Required value/,
  ],
  [
    "a dockerconfigjson Secret that holds no JSON",
    "Secret",
    {
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": "hunter2" },
    },
    "data[.dockerconfigjson]",
    /\(not shown\): wanted a JSON object$/,
  ],
  [
    "a dockercfg Secret that holds a list",
    "Secret",
    { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "[]" } },
    "data[.dockercfg]",
    /JSON object/,
  ],
  [
    "a service account token without its annotation",
    "Secret",
    { type: "kubernetes.io/service-account-token" },
    "metadata.annotations[kubernetes.io/service-account.name]",
    /Required value/,
  ],
];

const REQUESTS = { requests: { storage: "1" } };

const REFUSED_CLAIMS: readonly Row[] = [
  [
    "a claim of nothing",
    "PersistentVolumeClaim",
    {},
    "spec.accessModes",
    /at least 1 access mode/,
  ],
  [
    "a claim without size",
    "PersistentVolumeClaim",
    claimParts({ resources: {} }),
    "spec.resources.requests[storage]",
    /Required value/,
  ],
  [
    "a claim of size 0",
    "PersistentVolumeClaim",
    claimParts({ resources: { requests: { storage: 0 } } }),
    "spec.resources.requests[storage]",
    /greater than zero/,
  ],
  [
    "a claim whose size is no quantity",
    "PersistentVolumeClaim",
    claimParts({ resources: { requests: { storage: "big" } } }),
    "spec.resources.requests[storage]",
    /wanted a quantity/,
  ],
  [
    "a claim of cpu",
    "PersistentVolumeClaim",
    claimParts({ resources: { requests: { storage: 1, cpu: 1 } } }),
    "spec.resources.requests[cpu]",
    /Unsupported value: "cpu"/,
  ],
  [
    "a negative limit of a claim",
    "PersistentVolumeClaim",
    claimParts({ resources: { ...REQUESTS, limits: { storage: -1 } } }),
    "spec.resources.limits[storage]",
    /greater than zero/,
  ],
  [
    "an unknown access mode",
    "PersistentVolumeClaim",
    claimParts({ accessModes: ["ReadWriteOnce", "RWX"] }),
    "spec.accessModes[1]",
    /Unsupported value: "RWX"/,
  ],
  [
    "ReadWriteOncePod with another mode",
    "PersistentVolumeClaim",
    claimParts({ accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] }),
    "spec.accessModes",
    /Forbidden/,
  ],
  [
    "an unknown volume mode",
    "PersistentVolumeClaim",
    claimParts({ volumeMode: "Tape" }),
    "spec.volumeMode",
    /"Block", "Filesystem"/,
  ],
  [
    "a claim of a class that can have no such name",
    "PersistentVolumeClaim",
    claimParts({ storageClassName: "Fast Disk" }),
    "spec.storageClassName",
    /Invalid value: "Fast Disk"/,
  ],
  [
    "a claim of a volume",
    "PersistentVolumeClaim",
    claimParts({ volumeName: "pv1" }),
    "spec.volumeName",
    /Forbidden: .*no volumes to choose from/,
  ],
  [
    "a claim that selects",
    "PersistentVolumeClaim",
    claimParts({ selector: {} }),
    "spec.selector",
    /Forbidden/,
  ],
  [
    "a claim that is to be filled",
    "PersistentVolumeClaim",
    claimParts({ dataSource: { kind: "VolumeSnapshot", name: "a" } }),
    "spec.dataSource",
    /nothing to fill it from/,
  ],
  [
    "a claim that is to be filled in the new way",
    "PersistentVolumeClaim",
    claimParts({ dataSourceRef: { kind: "VolumeSnapshot", name: "a" } }),
    "spec.dataSourceRef",
    /nothing to fill it from/,
  ],
  [
    "a claim of a class of attributes",
    "PersistentVolumeClaim",
    claimParts({ volumeAttributesClassName: "gold" }),
    "spec.volumeAttributesClassName",
    /no classes of attributes/,
  ],
];

const REFUSED_CLASSES: readonly Row[] = [
  [
    "a RuntimeClass of nothing",
    "RuntimeClass",
    {},
    "handler",
    /Required value/,
  ],
  [
    "a handler with a dot",
    "RuntimeClass",
    { handler: "a.b" },
    "handler",
    /RFC 1123 label/,
  ],
  [
    "a RuntimeClass with a namespace",
    "RuntimeClass",
    { handler: "a", metadata: { name: "a", namespace: "default" } },
    "metadata.namespace",
    /not allowed on this type/,
  ],
  [
    "a negative overhead",
    "RuntimeClass",
    { handler: "a", overhead: { podFixed: { cpu: "-1" } } },
    "overhead.podFixed[cpu]",
    /greater than or equal to 0/,
  ],
  [
    "an overhead outside of podFixed",
    "RuntimeClass",
    { handler: "a", overhead: { cpu: "1" } },
    "overhead.cpu",
    /Unknown field/,
  ],
  [
    "a selector that is none",
    "RuntimeClass",
    { handler: "a", scheduling: { nodeSelector: { "a b": "c" } } },
    "scheduling.nodeSelector[a b]",
    /must consist of/,
  ],
  [
    "a toleration that is none",
    "RuntimeClass",
    { handler: "a", scheduling: { tolerations: [{ effect: "No" }] } },
    "scheduling.tolerations[0].effect",
    /Unsupported value/,
  ],
];

const REFUSED = [
  ...REFUSED_METADATA,
  ...REFUSED_KEYED,
  ...REFUSED_CLAIMS,
  ...REFUSED_CLASSES,
];
for (const [what, kind, parts, field, message] of REFUSED) {
  Deno.test(`decodeManifest() refuses ${what} in a ${kind}`, () => {
    const faults = faultsOf(objectJson(kind, parts));
    const found = faults.filter((fault) =>
      fault.field === field && message.test(fault.message)
    );
    strictEqual(found.length, 1, JSON.stringify(faults));
  });
}
