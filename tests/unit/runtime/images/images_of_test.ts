/**
 * The images that a pod names.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { imagesOf } from "../../../../mod/runtime/images/pull_first.ts";
import { container, pod } from "../../../support/pods.ts";

Deno.test("imagesOf() names every image of a container and of a volume, and of no other volume", () => {
  const images = imagesOf(pod({
    initContainers: [container("first", { image: "i:1" })],
    containers: [container("web", { image: "i:2" })],
    ephemeralContainers: [container("debug", { image: "i:3" })],
    volumes: [
      { name: "model", image: { reference: "m:1", pullPolicy: "Never" } },
      { name: "plain", image: { reference: "m:2" } },
      { name: "none", image: {} },
      { name: "data", emptyDir: {} },
    ],
  }));
  deepStrictEqual(
    images.map(({ name, image, imagePullPolicy }) => [
      name,
      image,
      ...imagePullPolicy === undefined ? [] : [imagePullPolicy],
    ]),
    [
      ["first", "i:1"],
      ["web", "i:2"],
      ["debug", "i:3"],
      // The events of a volume's pull are of the first container.
      ["web", "m:1", "Never"],
      ["web", "m:2"],
    ],
  );
});
