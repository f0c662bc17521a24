/**
 * Images over gRPC.
 *
 * @module
 */

import * as wire from "../../proto/gen/runtime/v1/api.ts";
import { type ImageService, unlessGone } from "./model/mod.ts";
import { callsWithin, type Rpc } from "./rpc/mod.ts";
import {
  authToWire,
  imageFileSystemsFromWire,
  imageFromWire,
  imageSpecToWire,
  listedImageFromWire,
  sandboxConfigToWire,
} from "./wire/mod.ts";

const METHODS = wire.ImageServiceDefinition.methods;

/**
 * The image service of one connection.
 *
 * @param requestTimeoutMs how long a call may take, but for a pull
 */
export function imageClient(rpc: Rpc, requestTimeoutMs: number): ImageService {
  const call = callsWithin(rpc, wire.ImageServiceDefinition, requestTimeoutMs);
  return {
    async imageStatus(image, options) {
      const request = { image: imageSpecToWire(image) };
      const answer = await call(METHODS.imageStatus, request, options);
      return answer.image && imageFromWire(answer.image);
    },
    async pullImage(image, options) {
      const { sandboxConfig, auth } = options ?? {};
      const request = {
        image: imageSpecToWire(image),
        auth: auth && authToWire(auth),
        sandboxConfig: sandboxConfig && sandboxConfigToWire(sandboxConfig),
      };
      // The size of an image has no bound; a runtime gives up a stalled pull.
      const extraMs = Infinity;
      return (await call(METHODS.pullImage, request, { ...options, extraMs }))
        .imageRef;
    },
    async listImages(options) {
      const { images } = await call(METHODS.listImages, {}, options);
      return images.map(listedImageFromWire);
    },
    async removeImage(image, options) {
      const request = { image: imageSpecToWire(image) };
      await unlessGone(call(METHODS.removeImage, request, options));
    },
    async imageFsInfo(options) {
      const answer = await call(METHODS.imageFsInfo, {}, options);
      return imageFileSystemsFromWire(answer);
    },
  };
}
