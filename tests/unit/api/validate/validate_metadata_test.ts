/**
 * @module
 */

import {
  type RefusedRow,
  type TakenRow,
  testRefused,
  testTaken,
} from "../../../support/api/rows.ts";

const NAMES = [
  "Web",
  "a_b",
  "..",
  ".",
  "-a",
  "a-",
  "ä",
  "a\nb",
  "a\n",
  "a\0",
  "a/b",
  "a b",
  "a".repeat(254),
];
const NAMESPACES = ["..", "a/b", "a.b", "A", "a\n", "n".repeat(64)];
const UIDS = [
  "../../../../tmp/pwn",
  "a/b",
  "..",
  "u".repeat(300),
  "a\nb",
  "a\0",
  "$(id)",
  "-a",
];
testRefused([
  ["no name", { metadata: { name: "" } }, "metadata.name", /^Required value$/],
  [
    "only a generated name",
    { metadata: { name: "", generateName: "web-" } },
    "metadata.name",
    /Required value: .*generated/,
  ],
  ...NAMES.map((
    name,
  ): RefusedRow => [
    `the name ${JSON.stringify(name).slice(0, 30)}`,
    { metadata: { name } },
    "metadata.name",
    /Invalid value/,
  ]),
  ...NAMESPACES.map((
    namespace,
  ): RefusedRow => [
    `the namespace ${JSON.stringify(namespace).slice(0, 30)}`,
    { metadata: { namespace } },
    "metadata.namespace",
    /Invalid value/,
  ]),
  ...UIDS.map((
    uid,
  ): RefusedRow => [
    `the uid ${JSON.stringify(uid).slice(0, 30)}`,
    { metadata: { uid } },
    "metadata.uid",
    /Invalid value/,
  ]),
  [
    "deletionTimestamp",
    { metadata: { deletionTimestamp: "2024-01-02T03:04:05Z" } },
    "metadata.deletionTimestamp",
    /Forbidden/,
  ],
  [
    "deletionGracePeriodSeconds",
    { metadata: { deletionGracePeriodSeconds: 1 } },
    "metadata.deletionGracePeriodSeconds",
    /Forbidden/,
  ],
  [
    "finalizers",
    { metadata: { finalizers: ["a/b"] } },
    "metadata.finalizers",
    /Forbidden/,
  ],
  [
    "ownerReferences",
    {
      metadata: {
        ownerReferences: [{
          apiVersion: "v1",
          kind: "Node",
          name: "n",
          uid: "u",
        }],
      },
    },
    "metadata.ownerReferences",
    /Forbidden/,
  ],
  [
    "a label of 64 characters",
    { metadata: { labels: { a: "x".repeat(64) } } },
    "metadata.labels[a]",
    /no more than 63/,
  ],
  [
    "a label with a space",
    { metadata: { labels: { a: "x y" } } },
    "metadata.labels[a]",
    /Invalid value: "x y"/,
  ],
  [
    "a label's key with two slashes",
    { metadata: { labels: { "a/b/c": "x" } } },
    "metadata.labels[a/b/c]",
    /Invalid value/,
  ],
  [
    "a label's key without name",
    { metadata: { labels: { "a/": "x" } } },
    "metadata.labels[a/]",
    /name must not be empty/,
  ],
  [
    "a label's key with an upper-case prefix",
    { metadata: { labels: { "A.b/c": "x" } } },
    "metadata.labels[A.b/c]",
    /before '\/'/,
  ],
  [
    "an annotation's key with a space",
    { metadata: { annotations: { "a b": "x" } } },
    "metadata.annotations[a b]",
    /Invalid value/,
  ],
  [
    "annotations of 256 KiB and a byte",
    { metadata: { annotations: { a: "x".repeat(256 * 1024) } } },
    "metadata.annotations",
    /Too long/,
  ],
  [
    "annotations of 256 KiB in two-byte letters",
    { metadata: { annotations: { a: "é".repeat(128 * 1024) } } },
    "metadata.annotations",
    /Too long/,
  ],
]);

testTaken(
  [
    ["a name of 253 characters", { metadata: { name: "a".repeat(253) } }],
    ["a name with dots", { metadata: { name: "a.b-1.c" } }],
    ["an empty namespace", { metadata: { namespace: "" } }],
    ["a uid of an API server", {
      metadata: { uid: "0f3e7a52-9d4e-4a8b-9d6d-5f0f3a1c2b3d" },
    }],
    ["annotations of 256 KiB", {
      metadata: { annotations: { a: "x".repeat(256 * 1024 - 1) } },
    }],
    ["keys of labels in their forms", {
      metadata: { labels: { a: "", "a.b/C_d.e-1": "x.Y_z-1" } },
    }],
    ["keys of annotations in upper case", {
      metadata: { annotations: { "Example.COM/a": "any text\n at all" } },
    }],
    ["the same name for pod and container", { metadata: { name: "app" } }],
  ] satisfies TakenRow[],
);
