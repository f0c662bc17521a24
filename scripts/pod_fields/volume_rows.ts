/**
 * Rows of the volumes.
 *
 * @module
 */

import {
  done,
  type Draft,
  type FieldTable,
  pod,
  refused,
  type TypeRows,
  volume,
} from "./row.ts";

const NO_MOUNT =
  "Not supported: the agent has no mount helper for volumes of this kind, " +
  "wanted it mounted on the node and given as a hostPath volume";
export const NO_SERVER = "there is no API server to ask";

/** Refuses a kind of volume that only a mount helper could provide. */
function unmounted(kind: string, source: Draft) {
  return refused(NO_MOUNT, volume({ [kind]: source }));
}

/** Refuses a kind of volume that only an API server could provide. */
function unserved(kind: string, what: string, source: Draft) {
  return refused(
    `Forbidden: static pods may not reference ${what}: ${NO_SERVER}`,
    volume({ [kind]: source }),
  );
}

/** A volume of a pod. */
export const VOLUME: TypeRows = {
  awsElasticBlockStore: unmounted("awsElasticBlockStore", { volumeID: "x" }),
  azureDisk: unmounted("azureDisk", { diskName: "x", diskURI: "x" }),
  azureFile: unserved("azureFile", "a Secret for Azure", {
    secretName: "s",
    shareName: "x",
  }),
  cephfs: unmounted("cephfs", { monitors: ["x"] }),
  cinder: unmounted("cinder", { volumeID: "x" }),
  configMap: done("volumes", "", volume({ configMap: { name: "settings" } }), {
    name: "other",
  }),
  csi: unserved("csi", "CSI drivers", { driver: "x" }),
  downwardAPI: done(
    "volumes",
    "",
    volume({
      downwardAPI: {
        items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }],
      },
    }),
    {},
  ),
  emptyDir: done("volumes", "", volume({ emptyDir: { medium: "Memory" } }), {}),
  ephemeral: unserved(
    "ephemeral",
    "claims made from templates; use emptyDir or hostPath",
    { volumeClaimTemplate: { spec: {} } },
  ),
  fc: unmounted("fc", { wwids: ["x"] }),
  flexVolume: unmounted("flexVolume", { driver: "x" }),
  flocker: unmounted("flocker", { datasetName: "x" }),
  gcePersistentDisk: unmounted("gcePersistentDisk", { pdName: "x" }),
  gitRepo: refused(
    "Forbidden: gitRepo volumes are not supported; clone in an init container into an emptyDir",
    volume({ gitRepo: { repository: "x" } }),
  ),
  glusterfs: unserved("glusterfs", "Endpoints", { endpoints: "x", path: "x" }),
  hostPath: done("container", "", volume({ hostPath: { path: "/srv" } }), {
    path: "/other",
  }),
  image: done(
    "container",
    "refused at the start when the runtime cannot do it",
    volume({ image: { reference: "localhost/data:1" } }),
    { reference: "localhost/data:2" },
  ),
  iscsi: unmounted("iscsi", { iqn: "x", lun: 0, targetPortal: "x" }),
  name: done(
    "identity",
    "",
    pod({ volumes: [{ name: "v", emptyDir: {} }] }),
    "w",
  ),
  nfs: unmounted("nfs", { path: "/x", server: "x" }),
  persistentVolumeClaim: done(
    "volumes",
    "a directory per claim below the state directory, kept until the claim is deleted",
    volume({ persistentVolumeClaim: { claimName: "data" } }),
    { claimName: "more" },
  ),
  photonPersistentDisk: unmounted("photonPersistentDisk", { pdID: "x" }),
  portworxVolume: unmounted("portworxVolume", { volumeID: "x" }),
  projected: done(
    "volumes",
    "",
    volume({
      projected: { sources: [{ configMap: { name: "settings" } }] },
    }),
    { sources: [] },
  ),
  quobyte: unmounted("quobyte", { registry: "x", volume: "x" }),
  rbd: unmounted("rbd", { image: "x", monitors: ["x"] }),
  scaleIO: unmounted("scaleIO", {
    gateway: "x",
    system: "x",
    secretRef: { name: "s" },
  }),
  secret: done("volumes", "", volume({ secret: { secretName: "settings" } }), {
    secretName: "other",
  }),
  storageos: unmounted("storageos", { volumeName: "x" }),
  vsphereVolume: unmounted("vsphereVolume", { volumePath: "x" }),
};

const REFUSED_KINDS: Readonly<Record<string, string>> = {
  AWSElasticBlockStoreVolumeSource: "Volume.awsElasticBlockStore",
  AzureDiskVolumeSource: "Volume.azureDisk",
  AzureFileVolumeSource: "Volume.azureFile",
  CephFSVolumeSource: "Volume.cephfs",
  CinderVolumeSource: "Volume.cinder",
  CSIVolumeSource: "Volume.csi",
  EphemeralVolumeSource: "Volume.ephemeral",
  FCVolumeSource: "Volume.fc",
  FlexVolumeSource: "Volume.flexVolume",
  FlockerVolumeSource: "Volume.flocker",
  GCEPersistentDiskVolumeSource: "Volume.gcePersistentDisk",
  GitRepoVolumeSource: "Volume.gitRepo",
  GlusterfsVolumeSource: "Volume.glusterfs",
  ISCSIVolumeSource: "Volume.iscsi",
  NFSVolumeSource: "Volume.nfs",
  PhotonPersistentDiskVolumeSource: "Volume.photonPersistentDisk",
  PortworxVolumeSource: "Volume.portworxVolume",
  QuobyteVolumeSource: "Volume.quobyte",
  RBDVolumeSource: "Volume.rbd",
  ScaleIOVolumeSource: "Volume.scaleIO",
  StorageOSVolumeSource: "Volume.storageos",
  VsphereVirtualDiskVolumeSource: "Volume.vsphereVolume",
  PersistentVolumeClaimTemplate: "Volume.ephemeral",
  PersistentVolumeClaimSpec: "Volume.ephemeral",
  VolumeResourceRequirements: "Volume.ephemeral",
  TypedLocalObjectReference: "Volume.ephemeral",
  TypedObjectReference: "Volume.ephemeral",
  ClusterTrustBundleProjection: "VolumeProjection.clusterTrustBundle",
  PodCertificateProjection: "VolumeProjection.podCertificate",
  ServiceAccountTokenProjection: "VolumeProjection.serviceAccountToken",
  EphemeralContainer: "PodSpec.ephemeralContainers",
  OwnerReference: "ObjectMeta.ownerReferences",
};

/** Types that stand only where they are refused whatever they say. */
export const REFUSED_TYPES: FieldTable = Object.fromEntries(
  Object.entries(REFUSED_KINDS).map(([type, refusedAs]) => [
    type,
    { refusedAs },
  ]),
);
