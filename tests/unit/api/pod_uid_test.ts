/**
 * Names that become parts of paths.
 *
 * @module
 */

import {
  type RefusedRow,
  testRefused,
  testTaken,
} from "../../support/api/rows.ts";

const UIDS = [
  "../../../../tmp/pwn",
  "a/b",
  "..",
  "u".repeat(300),
  "a\nb",
  "a\0b",
  "$(id)",
];

testRefused(UIDS.map((uid): RefusedRow => [
  `the UID ${JSON.stringify(uid.slice(0, 20))} (SE-01, M18)`,
  { metadata: { uid } },
  "metadata.uid",
  /letters, digits and '-'/,
]));

const NAMES = ["..", "a/b", "Web", "a\nb", "a".repeat(254), "a_b", "-a", "é"];

testRefused(NAMES.flatMap((name): RefusedRow[] => [
  [
    `the name ${JSON.stringify(name.slice(0, 20))} (SE-01, M15)`,
    { metadata: { name } },
    "metadata.name",
    /RFC 1123|no more than/,
  ],
  [
    `the container name ${JSON.stringify(name.slice(0, 20))} (SE-01)`,
    { container: { name } },
    "spec.containers[0].name",
    /RFC 1123|no more than/,
  ],
  [
    `the volume name ${JSON.stringify(name.slice(0, 20))} (SE-01)`,
    { spec: { volumes: [{ name, emptyDir: {} }] } },
    "spec.volumes[0].name",
    /RFC 1123|no more than/,
  ],
]));

testRefused(
  ["..", "a/b", "a".repeat(64), "A"].map((namespace): RefusedRow => [
    `the namespace ${JSON.stringify(namespace.slice(0, 20))} (SE-01, M17)`,
    { metadata: { namespace } },
    "metadata.namespace",
    /RFC 1123|no more than/,
  ]),
);

testTaken([
  ["a UID of 64 characters", { metadata: { uid: "u".repeat(64) } }],
  ["an empty namespace", { metadata: { namespace: "" } }],
]);
