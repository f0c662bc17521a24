/**
 * Defaults of volumes.
 *
 * @module
 */

import { impliedPullPolicy } from "./pull_policy.ts";
import type { Volume } from "../types/mod.ts";

/** 0644, in the sources that have a mode for files. */
const FILE_MODE = 0o644;

type Filler = (volume: Volume) => Partial<Volume>;

/** Fills in the defaults of one volume; returns a new one. */
export function applyVolumeDefaults(volume: Volume): Volume {
  let filled: Volume = volume;
  let hasSource = false;
  for (const source of Object.keys(volume)) {
    if (source === "name") continue;
    hasSource = true;
    const fill = FILLERS.get(source);
    if (fill !== undefined) filled = { ...filled, ...fill(volume) };
  }
  // A volume that says nothing is an empty directory, as upstream.
  return hasSource ? filled : { ...volume, emptyDir: {} };
}

const FILLERS: ReadonlyMap<string, Filler> = new Map<string, Filler>([
  [
    "hostPath",
    ({ hostPath }) =>
      hostPath ? { hostPath: { ...hostPath, type: hostPath.type ?? "" } } : {},
  ],
  [
    "configMap",
    ({ configMap: source }) => source ? { configMap: withMode(source) } : {},
  ],
  [
    "secret",
    ({ secret: source }) => source ? { secret: withMode(source) } : {},
  ],
  [
    "downwardAPI",
    ({ downwardAPI: source }) =>
      source ? { downwardAPI: withItems(withMode(source)) } : {},
  ],
  [
    "projected",
    ({ projected }) => projected ? { projected: fillProjected(projected) } : {},
  ],
  ["image", ({ image }) => {
    if (image === undefined) return {};
    const pullPolicy = image.pullPolicy ||
      impliedPullPolicy(image.reference ?? "");
    return { image: { ...image, pullPolicy } };
  }],
  [
    "iscsi",
    ({ iscsi }) =>
      iscsi
        ? {
          iscsi: {
            ...iscsi,
            iscsiInterface: iscsi.iscsiInterface || "default",
          },
        }
        : {},
  ],
  ["rbd", ({ rbd }) =>
    rbd
      ? {
        rbd: {
          ...rbd,
          pool: rbd.pool || "rbd",
          user: rbd.user || "admin",
          keyring: rbd.keyring || "/etc/ceph/keyring",
        },
      }
      : {}],
]);

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
