/**
 * Finding and fetching what a container's configuration is made of, and watching
 * that it stays what it was.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { StartFailure } from "../../pod/lifecycle/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { ImageSpec } from "../../cri/config/mod.ts";
import type { ImagePuller } from "../images/mod.ts";
import type {
  ContainerSpecInput,
  PinnedPath,
  SubPaths,
  WantedImage,
  WantedSubPath,
} from "../spec/mod.ts";
import { readKeyFiles } from "./read_key_files.ts";
import type { ExecutorDeps, StartContext } from "./start_context.ts";

interface GatherDeps extends ExecutorDeps {
  readonly puller: Pick<ImagePuller, "ensure">;
}

type GatherInput = Pick<
  ContainerSpecInput,
  "pod" | "container" | "podIps" | "volumes"
>;

/** One sub-path as it was found. */
export interface FoundSubPath {
  readonly wanted: WantedSubPath;
  readonly pinned: PinnedPath;
}

/** All that the container's configuration needs, or why it cannot be had. */
export type Gathered =
  | {
    readonly kind: "ok";
    readonly given: Pick<
      ContainerSpecInput,
      "environment" | "subPaths" | "imageVolumes"
    >;
    /** To be looked at again when the runtime has followed them. */
    readonly pinned: readonly FoundSubPath[];
  }
  | { readonly kind: "failed"; readonly failure: StartFailure }
  /** The image of a volume is still being pulled. */
  | { readonly kind: "pulling" };

type GatherOptions = Pick<
  StartContext,
  "sandbox" | "pullsUntilMs" | "releaseSlot" | "signal"
>;

/**
 * Gathers the inputs of a container, anew for each start: reads what variables name,
 * builds the environment, then finds what is mounted.
 *
 * A sub-path is pinned by device and inode when it is found. Upstream binds it to a
 * place that no container can reach and hands the runtime that place; without
 * mount(2) the runtime is handed the path itself and follows it once more, when it
 * creates or starts the container. So {@linkcode exchangedPath} is to be asked after
 * both. The window that remains: a process that writes the volume and puts a link
 * in the path's place just before the runtime follows it and takes it away again
 * before the second look is not noticed, and one that is noticed has been able to
 * run for the moment between the start and the look; an agent that is ended in that
 * moment does not look. Only a container of the same pod, or of one that shares the
 * volume with it, can do that.
 *
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function gatherInputs(
  deps: GatherDeps,
  input: GatherInput,
  options: GatherOptions,
): Promise<Gathered> {
  const keyFiles = await readKeyFiles(input.container, input.volumes);
  const needs = deps.specs.needs({ ...input, keyFiles });
  if (needs.kind === "refused") {
    const { kind: _kind, ...failure } = needs;
    return { kind: "failed", failure };
  }
  const { environment, subPaths, images } = needs.config;
  const { signal } = options;
  const pinned = await pin(deps.subPaths, subPaths, { pod: input.pod, signal });
  if (pinned.kind === "failed") return pinned;
  const pulled = await pull(deps, input, { ...options, images });
  if (pulled.kind !== "ok") return pulled;
  return {
    kind: "ok",
    given: {
      environment,
      subPaths: new Map(
        pinned.all.map(({ wanted, pinned }) => [
          wanted.mountPath,
          pinned.path,
        ]),
      ),
      imageVolumes: pulled.images,
    },
    pinned: pinned.all,
  };
}

/**
 * The first sub-path that does not lead any more to what was found.
 *
 * @param signal Absent for a container that runs: it must not run on unseen.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function exchangedPath(
  paths: SubPaths,
  pinned: readonly FoundSubPath[],
  signal?: AbortSignal,
): Promise<WantedSubPath | undefined> {
  for (const { wanted, pinned: path } of pinned) {
    let isUnchanged: boolean;
    try {
      isUnchanged = await paths.isUnchanged(path, { signal });
    } catch {
      signal?.throwIfAborted();
      // What cannot be looked at is not what it was.
      isUnchanged = false;
    }
    if (!isUnchanged) return wanted;
  }
  return undefined;
}

async function pin(
  paths: SubPaths,
  wanted: readonly WantedSubPath[],
  { pod, signal }: { readonly pod: Pod; readonly signal: AbortSignal },
): Promise<
  | Extract<Gathered, { kind: "failed" }>
  | { readonly kind: "ok"; readonly all: readonly FoundSubPath[] }
> {
  const all: FoundSubPath[] = [];
  // One after the other: two of them may have to make the same directory.
  for (const one of wanted) {
    const { volumeRoot, subPath, readOnly } = one;
    const podUid = pod.metadata.uid;
    const options = { podUid, volumeRoot, subPath, readOnly, signal };
    let message: string;
    try {
      const found = await paths.resolve(options);
      if (found.kind === "ok") {
        all.push({ wanted: one, pinned: found.pinned });
        continue;
      }
      message = found.message;
    } catch (error) {
      signal.throwIfAborted();
      message = describeError(error);
    }
    return failed(
      `Cannot mount volume "${one.volume}" at "${one.mountPath}": ${
        concealed(message, one)
      }`,
    );
  }
  return { kind: "ok", all };
}

async function pull(
  { puller }: GatherDeps,
  input: GatherInput,
  options: GatherOptions & { readonly images: readonly WantedImage[] },
): Promise<
  | Exclude<Gathered, { kind: "ok" }>
  | { readonly kind: "ok"; readonly images: ReadonlyMap<string, ImageSpec> }
> {
  const { pod, container } = input;
  const images = new Map<string, ImageSpec>();
  const { signal, sandbox, pullsUntilMs: untilMs } = options;
  const sandboxConfig = sandbox.config;
  if (options.images.length > 0) options.releaseSlot();
  for (const { volume, reference, pullPolicy } of options.images) {
    // The events of the pull are those of the container that waits for it.
    const image = await puller.ensure(pod, {
      name: container.name,
      image: reference,
      ...pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy },
    }, { signal, sandboxConfig, untilMs });
    if (image.kind === "pulling") return image;
    if (image.kind === "failed") {
      const { kind: _kind, ...failure } = image;
      const message = `Cannot pull volume "${volume}": ${failure.message}`;
      const isAway = failure.cause?.kind === "no_runtime";
      const kind = isAway ? "no_runtime" : "said";
      const cause = { kind, words: message } as const;
      return { kind: "failed", failure: { ...failure, message, cause } };
    }
    images.set(volume, {
      image: image.imageRef,
      userSpecifiedImage: reference,
    });
  }
  return { kind: "ok", images };
}

/** The failure of a container of which one sub-path is not what was looked at. */
export function exchangedFailure(
  { written, volume }: WantedSubPath,
): StartFailure {
  return {
    reason: "CreateContainerConfigError",
    message:
      `Cannot run the container: subpath "${written}" of volume "${volume}" was exchanged while it was mounted, wanted what was found before`,
  };
}

/** A message about a path, with what its expression stood for taken out again. */
function concealed(message: string, wanted: WantedSubPath): string {
  const { subPath, written } = wanted;
  if (written === subPath) return message;
  const parts = subPath.split("/")
    .filter((part) => part !== "" && !written.split("/").includes(part));
  return parts.reduce(
    (text, part) => text.replaceAll(part, "…"),
    message.replaceAll(subPath, () => written),
  );
}

function failed(message: string): Extract<Gathered, { kind: "failed" }> {
  const reason = "CreateContainerConfigError";
  return { kind: "failed", failure: { reason, message } };
}
