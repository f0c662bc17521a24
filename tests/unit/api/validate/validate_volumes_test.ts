/**
 * @module
 */

import {
  type Parts,
  type RefusedRow,
  testRefused,
  testTaken,
} from "../../../support/api/rows.ts";

const V = "spec.volumes[0]";

function volume(source: Record<string, unknown>): Parts {
  return { spec: { volumes: [{ name: "v", ...source }] } };
}

function items(...paths: readonly string[]): Parts {
  const items = paths.map((path) => ({ key: "k", path }));
  return volume({ configMap: { name: "c", items } });
}

function projected(source: unknown): Parts {
  return volume({ projected: { sources: [source] } });
}

const ITEMS = `${V}.configMap.items`;

testRefused([
  [
    "two volumes of one name",
    { spec: { volumes: [{ name: "v" }, { name: "v" }] } },
    "spec.volumes[1].name",
    /Duplicate/,
  ],
  ...["", "V", "../x", "a.b"].map((
    name,
  ): RefusedRow => [
    `the volume name "${name}"`,
    volume({ name }),
    `${V}.name`,
    /value/,
  ]),
  [
    "a volume with two sources",
    volume({ emptyDir: {}, hostPath: { path: "/x" } }),
    `${V}.hostPath`,
    /may not specify more than 1 volume type/,
  ],
  [
    "gitRepo by its name",
    volume({ gitRepo: { repository: "x" } }),
    `${V}.gitRepo`,
    /gitRepo volumes are not supported/,
  ],
  ...["", "rel", "..", "/a/../b", "/a\0"].map((
    path,
  ): RefusedRow => [
    `the hostPath ${JSON.stringify(path)}`,
    volume({ hostPath: { path } }),
    `${V}.hostPath.path`,
    /value/,
  ]),
  [
    "a misspelt type of hostPath",
    volume({ hostPath: { path: "/x", type: "directory" } }),
    `${V}.hostPath.type`,
    /Unsupported value: "directory"/,
  ],
  [
    "an emptyDir of negative size",
    volume({ emptyDir: { sizeLimit: "-1" } }),
    `${V}.emptyDir.sizeLimit`,
    /greater than or equal to 0/,
  ],
  [
    "an emptyDir on an unknown medium",
    volume({ emptyDir: { medium: "memory" } }),
    `${V}.emptyDir.medium`,
    /Unsupported/,
  ],
  [
    "a secret without name",
    volume({ secret: {} }),
    `${V}.secret.secretName`,
    /Required/,
  ],
  [
    "a mode of 01000",
    volume({ configMap: { name: "c", defaultMode: 0o1000 } }),
    `${V}.configMap.defaultMode`,
    /between 0 and 511/,
  ],
  ...["/abs", "..", "../x", "..x", "a/../b"].map((
    path,
  ): RefusedRow => [
    `an item at ${path}`,
    items(path),
    `${ITEMS}[0].path`,
    /Invalid value/,
  ]),
  ["two items at one path", items("a", "./a"), `${ITEMS}[1].path`, /Duplicate/],
  [
    "an item below another item",
    items("a", "a/b"),
    `${ITEMS}[1].path`,
    /directory/,
  ],
  [
    "an item where another needs a directory",
    items("a/b", "a"),
    `${ITEMS}[1].path`,
    /directory/,
  ],
  [
    "a key that is no name of a file",
    volume({ configMap: { name: "c", items: [{ key: "a/b", path: "x" }] } }),
    `${ITEMS}[0].key`,
    /Invalid value/,
  ],
  [
    "a downward item without reference",
    volume({ downwardAPI: { items: [{ path: "a" }] } }),
    `${V}.downwardAPI.items[0]`,
    /must specify reference/,
  ],
  [
    "the pod's address in a volume",
    volume({
      downwardAPI: {
        items: [{ path: "a", fieldRef: { fieldPath: "status.podIP" } }],
      },
    }),
    `${V}.downwardAPI.items[0].fieldRef.fieldPath`,
    /Unsupported/,
  ],
  [
    "a projected file twice",
    volume({
      projected: {
        sources: [1, 2].map(() => ({
          downwardAPI: {
            items: [{ path: "a", fieldRef: { fieldPath: "metadata.name" } }],
          },
        })),
      },
    }),
    `${V}.projected.sources[1].downwardAPI.items[0].path`,
    /Duplicate/,
  ],
  [
    "an image volume without image",
    volume({ image: {} }),
    `${V}.image.reference`,
    /Required/,
  ],
  [
    "a claim without name",
    volume({ persistentVolumeClaim: {} }),
    `${V}.persistentVolumeClaim.claimName`,
    /Required/,
  ],
  ...["csi", "ephemeral", "glusterfs", "azureFile"].map((
    kind,
  ): RefusedRow => [
    `a volume of kind ${kind}`,
    volume({ [kind]: {} }),
    `${V}.${kind}`,
    /static pods may not reference/,
  ]),
  ...["serviceAccountToken", "clusterTrustBundle", "podCertificate"].map((
    kind,
  ): RefusedRow => [
    `a projected ${kind}`,
    projected({ [kind]: {} }),
    `${V}.projected.sources[0].${kind}`,
    /static pods may not reference/,
  ]),
]);

testTaken([
  ["a volume without source", volume({})],
  ["the root of the node", volume({ hostPath: { path: "/" } })],
  ["references to local objects", {
    spec: {
      volumes: [
        { name: "c", configMap: { name: "c" } },
        { name: "s", secret: { secretName: "s", optional: true } },
        { name: "p", persistentVolumeClaim: { claimName: "p" } },
        {
          name: "j",
          projected: {
            sources: [{ configMap: { name: "c" } }, { secret: { name: "s" } }],
          },
        },
      ],
    },
  }],
  [
    "all labels in a volume",
    volume({
      downwardAPI: {
        items: [{ path: "a/b", fieldRef: { fieldPath: "metadata.labels" } }],
      },
    }),
  ],
  ["huge pages of a size", volume({ emptyDir: { medium: "HugePages-2Mi" } })],
]);
