/**
 * Defaults of volumes.
 *
 * @module
 */

import { impliedPullPolicy } from "./pull_policy.ts";
import type { Volume } from "../types/mod.ts";

/** 0644, in the sources that have a mode for files. */
const FILE_MODE = 0o644;

/** Fills in the defaults of one volume; returns a new one. */
export function applyVolumeDefaults(volume: Volume): Volume {
  const { configMap, downwardAPI, hostPath, image, projected, secret } = volume;
  const { iscsi, rbd } = volume;
  // A volume that says nothing is an empty directory, as upstream.
  if (Object.keys(volume).every((key) => key === "name")) {
    return { ...volume, emptyDir: {} };
  }
  return {
    ...volume,
    ...(hostPath && { hostPath: { ...hostPath, type: hostPath.type ?? "" } }),
    ...(configMap && { configMap: withMode(configMap) }),
    ...(secret && { secret: withMode(secret) }),
    ...(downwardAPI && { downwardAPI: withItems(withMode(downwardAPI)) }),
    ...(projected && { projected: fillProjected(projected) }),
    ...(image && {
      image: {
        ...image,
        pullPolicy: image.pullPolicy ||
          impliedPullPolicy(image.reference ?? ""),
      },
    }),
    ...(iscsi && {
      iscsi: { ...iscsi, iscsiInterface: iscsi.iscsiInterface || "default" },
    }),
    ...(rbd && {
      rbd: {
        ...rbd,
        pool: rbd.pool || "rbd",
        user: rbd.user || "admin",
        keyring: rbd.keyring || "/etc/ceph/keyring",
      },
    }),
  };
}

function withMode<Source extends { readonly defaultMode?: number }>(
  source: Source,
): Source {
  return { ...source, defaultMode: source.defaultMode ?? FILE_MODE };
}

function withItems<
  Source extends Pick<NonNullable<Volume["downwardAPI"]>, "items">,
>(source: Source): Source {
  const items = source.items?.map((item) => {
    const { fieldRef } = item;
    if (fieldRef === undefined) return item;
    const apiVersion = fieldRef.apiVersion || "v1";
    return { ...item, fieldRef: { ...fieldRef, apiVersion } };
  });
  return items === undefined ? source : { ...source, items };
}

function fillProjected(
  projected: NonNullable<Volume["projected"]>,
): NonNullable<Volume["projected"]> {
  const sources = projected.sources?.map((source) => {
    const { downwardAPI } = source;
    return downwardAPI === undefined
      ? source
      : { ...source, downwardAPI: withItems(downwardAPI) };
  });
  const filled = withMode(projected);
  return sources === undefined ? filled : { ...filled, sources };
}
