/**
 * Images over gRPC.
 *
 * @module
 */

import * as wire from "../../proto/gen/runtime/v1/api.ts";
import {
  authToWire,
  imageFromWire,
  imageSpecToWire,
  sandboxConfigToWire,
  usageFromWire,
} from "./wire/mod.ts";
import { imageMethod, type Method, type Rpc } from "./rpc/mod.ts";
import {
  type CallOptions,
  type FilesystemUsage,
  type Image,
  type ImageService,
  type RegistryAuth,
  unlessGone,
} from "./model/mod.ts";
import type { ImageSpec, SandboxConfig } from "./config/mod.ts";

const METHODS = {
  listImages: imageMethod(
    "ListImages",
    wire.ListImagesRequest,
    wire.ListImagesResponse,
  ),
  imageStatus: imageMethod(
    "ImageStatus",
    wire.ImageStatusRequest,
    wire.ImageStatusResponse,
  ),
  pullImage: imageMethod(
    "PullImage",
    wire.PullImageRequest,
    wire.PullImageResponse,
  ),
  removeImage: imageMethod(
    "RemoveImage",
    wire.RemoveImageRequest,
    wire.RemoveImageResponse,
  ),
  imageFsInfo: imageMethod(
    "ImageFsInfo",
    wire.ImageFsInfoRequest,
    wire.ImageFsInfoResponse,
  ),
};

/** The image service of one connection. */
export class ImageClient implements ImageService {
  readonly #rpc: Rpc;
  readonly #requestTimeoutMs: number;

  /** @param requestTimeoutMs how long a call may take, but for a pull */
  constructor(rpc: Rpc, requestTimeoutMs: number) {
    this.#rpc = rpc;
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  async listImages(options?: CallOptions): Promise<readonly Image[]> {
    const { images } = await this.#call(
      METHODS.listImages,
      {},
      options,
    );
    return images.map(imageFromWire);
  }

  async imageStatus(
    image: ImageSpec,
    options?: CallOptions,
  ): Promise<Image | undefined> {
    const answer = await this.#call(
      METHODS.imageStatus,
      { image: imageSpecToWire(image) },
      options,
    );
    return answer.image && imageFromWire(answer.image);
  }

  async pullImage(
    image: ImageSpec,
    options?: CallOptions & {
      auth?: RegistryAuth;
      sandboxConfig?: SandboxConfig;
    },
  ): Promise<string> {
    const { auth, sandboxConfig, signal } = options ?? {};
    const { imageRef } = await this.#rpc.call(
      METHODS.pullImage,
      {
        image: imageSpecToWire(image),
        auth: auth && authToWire(auth),
        sandboxConfig: sandboxConfig && sandboxConfigToWire(sandboxConfig),
      },
      // The size of an image has no bound; a runtime gives up a stalled pull.
      { signal },
    );
    return imageRef;
  }

  async removeImage(image: ImageSpec, options?: CallOptions): Promise<void> {
    const request = { image: imageSpecToWire(image) };
    await unlessGone(
      this.#call(METHODS.removeImage, request, options),
    );
  }

  async imageFsInfo(
    options?: CallOptions,
  ): Promise<readonly FilesystemUsage[]> {
    const { imageFilesystems } = await this.#call(
      METHODS.imageFsInfo,
      {},
      options,
    );
    return imageFilesystems.map(usageFromWire);
  }

  #call<Request, Answer>(
    method: Method<Request, Answer>,
    request: Request,
    options: CallOptions | undefined,
  ): Promise<Answer> {
    const deadlineMs = this.#requestTimeoutMs;
    return this.#rpc.call(method, request, {
      deadlineMs,
      signal: options?.signal,
    });
  }
}
