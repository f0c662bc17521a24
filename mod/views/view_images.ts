/**
 * The images of the node, and who uses them.
 *
 * @module
 */

import { podKey } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { LABEL_POD_NAME, LABEL_POD_NAMESPACE } from "../api/vocabulary/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { Container, ListedImage } from "../cri/model/mod.ts";
import { formatTime, isTerminalPhase, parseTime } from "../pod/status/mod.ts";
import { type ImageHold, listedName } from "../runtime/images/mod.ts";
import type { ImageState } from "../server/mod.ts";
import type { ViewedCore } from "./ports.ts";

/** Someone who uses an image. */
interface UsedImage {
  /** `namespace/pod`, or the id of a container that is of no pod. */
  readonly name: string;
  readonly state: ImageState["users"][number]["state"];
  /** What the image is called there: its id, or a name. */
  readonly image: string;
  /** Wall time in milliseconds. */
  readonly sinceMs: number;
}

/**
 * Asks the runtime for its images and containers, those of others too.
 *
 * @throws {CriError} When it does not say.
 */
export async function viewImages(
  { connection, executor }: Pick<ViewedCore, "connection" | "executor">,
  deps: { readonly pods: () => readonly Pod[]; readonly clock: Clock },
): Promise<readonly ImageState[]> {
  const [listed, containers] = await Promise.all([
    connection.images.listImages(),
    connection.runtime.listContainers(),
  ]);
  const users = [
    ...containers.map(containerUser),
    ...deps.pods().flatMap(volumeUsers),
    ...executor.imageHolds().map((hold) => startingUser(hold, deps.clock)),
  ].sort((a, b) => a.sinceMs - b.sinceMs);
  return listed.map((image) => stateOf(image, users))
    .sort((a, b) => labelOf(a) < labelOf(b) ? -1 : 1);
}

function stateOf(
  { id, names, size, pinned }: ListedImage,
  users: readonly UsedImage[],
): ImageState {
  return {
    id,
    names,
    size: Number(size),
    pinned,
    users: users.filter(({ image }) => image === id || names.includes(image))
      .map(({ name, state, sinceMs }) => ({
        name,
        state,
        since: formatTime(sinceMs),
      })),
  };
}

function labelOf({ id, names: [name = id] }: ImageState): string {
  return name;
}

function containerUser(
  { id, state, createdAt, labels, imageRef }: Container,
): UsedImage {
  const name = labels[LABEL_POD_NAME];
  const namespace = labels[LABEL_POD_NAMESPACE];
  const isOfPod = name !== undefined && namespace !== undefined;
  return {
    name: isOfPod ? podKey({ namespace, name }) : id,
    state,
    image: imageRef,
    sinceMs: Number(createdAt / 1_000_000n),
  };
}

/** The runtime does not list what it mounts, so what the pod asks for has to do. */
function volumeUsers({ metadata, spec, status }: Pod): readonly UsedImage[] {
  const { startTime, phase } = status ?? {};
  if (startTime === undefined || isTerminalPhase(phase)) return [];
  const { volumes = [] } = spec;
  return volumes.flatMap(({ image }) =>
    image?.reference === undefined ? [] : [{
      name: podKey(metadata),
      state: "mounted" as const,
      image: listedName(image.reference),
      sinceMs: parseTime(startTime) ?? 0,
    }]
  );
}

function startingUser(
  { pod, image, ref, sinceMs }: ImageHold,
  clock: Clock,
): UsedImage {
  return {
    name: podKey(pod),
    state: "starting",
    image: ref ?? listedName(image),
    sinceMs: clock.now() - (clock.monotonic() - sinceMs),
  };
}
