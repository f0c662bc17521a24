/**
 * Finding and fetching what a container's configuration is made of, and watching
 * that it stays what it was.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { StartFailure } from "../../pod/lifecycle/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { ImageSpec, SandboxConfig } from "../../cri/config/mod.ts";
import type { ImagePuller } from "../images/mod.ts";
import type {
  ContainerSpecInput,
  GivenByBuilder,
  PinnedPath,
  SpecBuilder,
  SubPaths,
  WantedImage,
  WantedSubPath,
} from "../spec/mod.ts";
import { readKeyFiles } from "./read_key_files.ts";

/** What the gathering works with. */
export interface ContainerInputsDeps {
  readonly specs: Pick<SpecBuilder, "needs">;
  readonly puller: Pick<ImagePuller, "ensure">;
  readonly subPaths: SubPaths;
}

/** Whose inputs are gathered. */
export type GatherInput = Omit<
  Pick<ContainerSpecInput, "pod" | "container" | "podIps" | "volumes">,
  GivenByBuilder
>;

/** One sub-path as it was found. */
export interface PinnedSubPath {
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
    readonly pinned: readonly PinnedSubPath[];
  }
  | { readonly kind: "failed"; readonly failure: StartFailure }
  /** The image of a volume is still being pulled. */
  | { readonly kind: "pulling" };

/** How the gathering is limited. */
export interface GatherOptions {
  readonly sandboxConfig: SandboxConfig;
  /** How long to wait for a pull that begins now, on the monotonic clock; see `ImagePuller`. */
  readonly pullsUntilMs: number;
  /** Called before what may take long. */
  readonly releaseSlot: () => void;
  readonly signal: AbortSignal;
}

/**
 * Gathers the inputs of containers, anew for each start.
 *
 * A sub-path is pinned by device and inode when it is found. Upstream binds it to a
 * place that no container can reach and hands the runtime that place; without
 * mount(2) the runtime is handed the path itself and follows it once more, when it
 * creates or starts the container. So {@linkcode exchanged} is to be asked after
 * both. The window that remains: a process that writes the volume and puts a link
 * in the path's place just before the runtime follows it and takes it away again
 * before the second look is not noticed, and one that is noticed has been able to
 * run for the moment between the start and the look; an agent that is ended in that
 * moment does not look. Only containers of the same pod, or who shares the volume
 * with it, can do that.
 */
export class ContainerInputs {
  readonly #deps: ContainerInputsDeps;

  constructor(deps: ContainerInputsDeps) {
    this.#deps = deps;
  }

  /**
   * Reads what variables name, builds the environment, then finds what is mounted.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async gather(input: GatherInput, options: GatherOptions): Promise<Gathered> {
    const keyFiles = await readKeyFiles(input.container, input.volumes);
    const needs = this.#deps.specs.needs({ ...input, keyFiles });
    if (needs.kind === "refused") {
      const { kind: _kind, ...failure } = needs;
      return { kind: "failed", failure };
    }
    const { environment, subPaths, images } = needs.config;
    const { signal } = options;
    const pinned = await this.#pin(input.pod, subPaths, signal);
    if (pinned.kind === "failed") return pinned;
    const pulled = await this.#pull(input, { ...options, images });
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
  async exchanged(
    pinned: readonly PinnedSubPath[],
    signal?: AbortSignal,
  ): Promise<WantedSubPath | undefined> {
    const options = signal === undefined ? {} : { signal };
    for (const { wanted, pinned: path } of pinned) {
      let isUnchanged: boolean;
      try {
        isUnchanged = await this.#deps.subPaths.isUnchanged(path, options);
      } catch {
        signal?.throwIfAborted();
        // What cannot be looked at is not what it was.
        isUnchanged = false;
      }
      if (!isUnchanged) return wanted;
    }
    return undefined;
  }

  async #pin(
    pod: Pod,
    wanted: readonly WantedSubPath[],
    signal: AbortSignal,
  ): Promise<
    | Extract<Gathered, { kind: "failed" }>
    | { readonly kind: "ok"; readonly all: readonly PinnedSubPath[] }
  > {
    const all: PinnedSubPath[] = [];
    // One after the other: two of them may have to make the same directory.
    for (const one of wanted) {
      const { volumeRoot, subPath, readOnly } = one;
      const podUid = pod.metadata.uid;
      const options = { podUid, volumeRoot, subPath, readOnly, signal };
      let message: string;
      try {
        const found = await this.#deps.subPaths.resolve(options);
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

  async #pull(
    input: GatherInput,
    options: GatherOptions & { readonly images: readonly WantedImage[] },
  ): Promise<
    | Exclude<Gathered, { kind: "ok" }>
    | { readonly kind: "ok"; readonly images: ReadonlyMap<string, ImageSpec> }
  > {
    const { pod, container } = input;
    const images = new Map<string, ImageSpec>();
    const { signal, sandboxConfig, pullsUntilMs: untilMs } = options;
    if (options.images.length > 0) options.releaseSlot();
    for (const { volume, reference, pullPolicy } of options.images) {
      // The events of the pull are those of the container that waits for it.
      const image = await this.#deps.puller.ensure(pod, {
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
