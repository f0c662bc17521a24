/**
 * Rows of what is below volumes.
 *
 * @module
 */

import {
  done,
  type Draft,
  pod,
  refused,
  shownBy,
  type TypeRows,
  volume,
} from "./row.ts";
import { NO_SERVER } from "./volume_rows.ts";

const ITEM = { key: "a", path: "x", mode: 0o600 };

const configMap = (rest: Draft) =>
  volume({ configMap: { name: "settings", ...rest } });
const secret = (rest: Draft) =>
  volume({ secret: { secretName: "settings", ...rest } });
const downward = (rest: Draft) =>
  volume({ downwardAPI: { items: [NAME_ITEM], ...rest } });
const projected = (source: Draft) =>
  volume({ projected: { sources: [source] } });
const NAME_ITEM = { path: "n", fieldRef: { fieldPath: "metadata.name" } };

/** Volumes that are honoured, and what is below them. */
export const VOLUME_PARTS: Readonly<Record<string, TypeRows>> = {
  ConfigMapVolumeSource: {
    defaultMode: done("volumes", "", configMap({ defaultMode: 0o600 })),
    items: done("volumes", "", configMap({ items: [ITEM] })),
    name: done("volumes", "", configMap({}), "other"),
    optional: done(
      "volumes",
      "",
      volume({ configMap: { name: "nil", optional: true } }),
    ),
  },
  SecretVolumeSource: {
    defaultMode: done("volumes", "", secret({ defaultMode: 0o600 })),
    items: done("volumes", "", secret({ items: [ITEM] })),
    optional: done(
      "volumes",
      "",
      volume({ secret: { secretName: "nil", optional: true } }),
    ),
    secretName: done("volumes", "", secret({}), "other"),
  },
  KeyToPath: {
    key: done("volumes", "", configMap({ items: [ITEM] }), "b"),
    mode: done("volumes", "", configMap({ items: [ITEM] })),
    path: done("volumes", "", configMap({ items: [ITEM] }), "y"),
  },
  DownwardAPIVolumeSource: {
    defaultMode: done("volumes", "", downward({ defaultMode: 0o600 })),
    items: done("volumes", "", downward({})),
  },
  DownwardAPIVolumeFile: {
    fieldRef: done("volumes", "", downward({}), {
      fieldPath: "metadata.namespace",
    }),
    mode: done(
      "volumes",
      "",
      downward({ items: [{ ...NAME_ITEM, mode: 0o600 }] }),
    ),
    path: done("volumes", "", downward({}), "m"),
    resourceFieldRef: done(
      "volumes",
      "",
      downward({
        items: [{
          path: "n",
          resourceFieldRef: { containerName: "c", resource: "limits.cpu" },
        }],
      }),
      { containerName: "c", resource: "limits.memory" },
    ),
  },
  EmptyDirVolumeSource: {
    medium: done(
      "volumes",
      "`Memory` lies below the run directory, a tmpfs; `HugePages` is refused",
      volume({ emptyDir: { medium: "Memory" } }),
    ),
    sizeLimit: done(
      "eviction",
      "by eviction of the pod",
      volume({ emptyDir: { sizeLimit: "1Gi" } }),
    ),
  },
  HostPathVolumeSource: {
    path: done(
      "container",
      "",
      volume({ hostPath: { path: "/srv" } }),
      "/other",
    ),
    type: done(
      "volumes",
      "checked and created below `--host-path-roots`; elsewhere any type but the empty one is refused",
      volume({ hostPath: { path: "/srv/skerry-none", type: "Directory" } }),
    ),
  },
  ImageVolumeSource: {
    pullPolicy: done(
      "pull",
      "",
      volume({ image: { reference: "localhost/data:1", pullPolicy: "Never" } }),
    ),
    reference: done(
      "container",
      "",
      volume({ image: { reference: "localhost/data:1" } }),
      "localhost/data:2",
    ),
  },
  PersistentVolumeClaimVolumeSource: {
    claimName: done(
      "volumes",
      "",
      volume({ persistentVolumeClaim: { claimName: "data" } }),
      "more",
    ),
    readOnly: done(
      "container",
      "",
      volume({ persistentVolumeClaim: { claimName: "data", readOnly: true } }),
    ),
  },
  ProjectedVolumeSource: {
    defaultMode: done(
      "volumes",
      "",
      volume({
        projected: {
          defaultMode: 0o600,
          sources: [{ configMap: { name: "settings" } }],
        },
      }),
    ),
    sources: done(
      "volumes",
      "",
      projected({ configMap: { name: "settings" } }),
    ),
  },
  VolumeProjection: {
    clusterTrustBundle: refused(
      `Forbidden: static pods may not reference trust bundles: ${NO_SERVER}`,
      projected({ clusterTrustBundle: { name: "b", path: "x" } }),
    ),
    configMap: done(
      "volumes",
      "",
      projected({ configMap: { name: "settings" } }),
      {
        name: "other",
      },
    ),
    downwardAPI: done(
      "volumes",
      "",
      projected({ downwardAPI: { items: [NAME_ITEM] } }),
      {},
    ),
    podCertificate: refused(
      `Forbidden: static pods may not reference pod certificates: ${NO_SERVER}`,
      projected({ podCertificate: { signerName: "x/y", keyType: "ED25519" } }),
    ),
    secret: done("volumes", "", projected({ secret: { name: "settings" } }), {
      name: "other",
    }),
    serviceAccountToken: refused(
      `Forbidden: static pods may not reference service account tokens: ${NO_SERVER}`,
      projected({ serviceAccountToken: { path: "t" } }),
    ),
  },
  ConfigMapProjection: {
    items: done(
      "volumes",
      "",
      projected({ configMap: { name: "settings", items: [ITEM] } }),
    ),
    name: done(
      "volumes",
      "",
      projected({ configMap: { name: "settings" } }),
      "other",
    ),
    optional: done(
      "volumes",
      "",
      projected({ configMap: { name: "nil", optional: true } }),
    ),
  },
  SecretProjection: {
    items: done(
      "volumes",
      "",
      projected({ secret: { name: "settings", items: [ITEM] } }),
    ),
    name: done(
      "volumes",
      "",
      projected({ secret: { name: "settings" } }),
      "other",
    ),
    optional: done(
      "volumes",
      "",
      projected({ secret: { name: "nil", optional: true } }),
    ),
  },
  DownwardAPIProjection: {
    items: done(
      "volumes",
      "",
      projected({ downwardAPI: { items: [NAME_ITEM] } }),
    ),
  },
  LocalObjectReference: {
    name: done(
      shownBy(
        "tests/component/agent/image_credentials_test.ts",
        "Agent pulls with the login of a Secret that the pod names",
      ),
      "",
      pod({ imagePullSecrets: [{ name: "s" }] }),
    ),
  },
  PodResourceClaim: Object.fromEntries(
    ["name", "resourceClaimName", "resourceClaimTemplateName"].map((field) => [
      field,
      refused(
        `Forbidden: static pods may not reference resource claims: ${NO_SERVER}`,
        pod({ resourceClaims: [{ name: "gpu", [field]: "g" }] }),
      ),
    ]),
  ),
};
