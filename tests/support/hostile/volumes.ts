/**
 * Pods that are wrong in their volumes.
 *
 * @module
 */

import {
  type HostileManifest,
  hostilePod,
  main,
  type ManifestPart,
  wrong,
} from "./row.ts";

/** Volumes, what is projected into them, and their mounts. */
export function hostileVolumes(): HostileManifest[] {
  return [...sources(), ...items(), ...projections(), ...mounts()];
}

function volume(
  title: string,
  more: ManifestPart,
  names?: RegExp,
): HostileManifest {
  const content = hostilePod({ volumes: [{ name: "v", ...more }] });
  return wrong(`volume-${title}`, content, names ?? /spec\.volumes/);
}

function sources(): HostileManifest[] {
  return [
    wrong(
      "same-volumes",
      hostilePod({
        volumes: [{ name: "v", emptyDir: {} }, { name: "v", emptyDir: {} }],
      }),
      /volumes\[1\]\.name/,
    ),
    wrong("volumes-map", hostilePod({ volumes: { v: {} } }), /spec\.volumes/),
    volume("name", { name: "A_b", emptyDir: {} }, /volumes\[0\]\.name/),
    volume("name-path", { name: "../v", emptyDir: {} }, /volumes\[0\]\.name/),
    volume("two-sources", { emptyDir: {}, hostPath: { path: "/x" } }),
    volume("unknown", { floppy: {} }, /floppy/),
    // The kubelet drops it and mounts an empty directory instead (SRC-32).
    volume("wrong-case", { hostpath: { path: "/x" } }, /hostpath.*hostPath/),
    volume("git", { gitRepo: { repository: "x" } }),
    volume("csi", { csi: { driver: "x" } }),
    volume("ephemeral", { ephemeral: { volumeClaimTemplate: { spec: {} } } }),
    volume("nfs", { nfs: { server: "x", path: "/y" } }),
    volume("glusterfs", { glusterfs: { endpoints: "x", path: "y" } }),
    volume("azure", { azureFile: { secretName: "x", shareName: "y" } }),
    volume("flex", { flexVolume: { driver: "x/y" } }),
    volume("host-dots", { hostPath: { path: "/a/../b" } }, /hostPath/),
    volume("host-none", { hostPath: { path: "" } }, /hostPath/),
    volume("host-type", { hostPath: { path: "/x", type: "Dir" } }, /hostPath/),
    volume("empty-medium", { emptyDir: { medium: "Disk" } }, /emptyDir/),
    volume("empty-size", { emptyDir: { sizeLimit: "-1" } }, /emptyDir/),
    volume(
      "claim-none",
      { persistentVolumeClaim: {} },
      /persistentVolumeClaim/,
    ),
    volume("image-none", { image: {} }, /image/),
    volume(
      "image-policy",
      { image: { reference: "x", pullPolicy: "X" } },
      /image/,
    ),
  ];
}

function items(): HostileManifest[] {
  const item = (title: string, path: string) =>
    volume(
      `item-${title}`,
      { configMap: { name: "c", items: [{ key: "k", path }] } },
      /items\[0\]/,
    );
  return [
    item("absolute", "/etc/passwd"),
    item("dots", "../x"),
    item("dots-inside", "a/../b"),
    item("leading-dots", "..data"),
    item("empty", ""),
    volume(
      "secret-mode",
      { secret: { secretName: "s", defaultMode: 0o1000 } },
      /defaultMode/,
    ),
    volume(
      "mode-text",
      { configMap: { name: "c", defaultMode: "0644" } },
      /defaultMode/,
    ),
    volume("secret-none", { secret: {} }, /secret/),
    volume("item-twice", {
      configMap: {
        name: "c",
        items: [{ key: "a", path: "p" }, { key: "b", path: "p" }],
      },
    }, /items\[1\]/),
    volume("downward-path", {
      downwardAPI: {
        items: [{ path: "../x", fieldRef: { fieldPath: "metadata.name" } }],
      },
    }, /items\[0\]/),
    volume("downward-field", {
      downwardAPI: {
        items: [{ path: "x", fieldRef: { fieldPath: "spec.secrets" } }],
      },
    }, /items\[0\]/),
    volume("downward-both", {
      downwardAPI: {
        items: [{
          path: "x",
          fieldRef: { fieldPath: "metadata.name" },
          resourceFieldRef: { containerName: "main", resource: "limits.cpu" },
        }],
      },
    }, /items\[0\]/),
  ];
}

function projections(): HostileManifest[] {
  const projected = (title: string, source: ManifestPart) =>
    volume(
      `projected-${title}`,
      { projected: { sources: [source] } },
      /projected/,
    );
  return [
    projected("token", { serviceAccountToken: { path: "token" } }),
    projected("bundle", { clusterTrustBundle: { path: "ca", name: "x" } }),
    projected("two", { secret: { name: "a" }, configMap: { name: "b" } }),
    projected("dots", {
      secret: { name: "a", items: [{ key: "k", path: ".." }] },
    }),
  ];
}

function mounts(): HostileManifest[] {
  const mount = (title: string, more: ManifestPart) =>
    wrong(
      `mount-${title}`,
      hostilePod({
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          main({ volumeMounts: [{ name: "v", mountPath: "/x", ...more }] }),
        ],
      }),
      /volumeMounts\[0\]/,
    );
  const twice = [{ name: "v", mountPath: "/x" }, {
    name: "v",
    mountPath: "/x",
  }];
  return [
    mount("without-volume", { name: "nope" }),
    mount("no-path", { mountPath: "" }),
    mount("root", { mountPath: "/" }),
    mount("subpath-absolute", { subPath: "/etc" }),
    mount("subpath-dots", { subPath: ".." }),
    mount("subpath-dots-inside", { subPath: "a/../../b" }),
    mount("subpath-both", { subPath: "a", subPathExpr: "$(A)" }),
    mount("subpath-expr-dots", { subPathExpr: "../$(A)" }),
    mount("propagation", { mountPropagation: "Everywhere" }),
    mount("bidirectional", { mountPropagation: "Bidirectional" }),
    mount("recursive", { recursiveReadOnly: "Enabled" }),
    wrong(
      "mount-twice",
      hostilePod({
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [main({ volumeMounts: twice })],
      }),
      /volumeMounts\[1\]/,
    ),
    wrong(
      "device-without-volume",
      hostilePod({
        containers: [
          main({ volumeDevices: [{ name: "v", devicePath: "/dev/x" }] }),
        ],
      }),
      /volumeDevices\[0\]/,
    ),
  ];
}
