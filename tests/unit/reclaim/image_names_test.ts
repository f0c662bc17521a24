/**
 * Names of images as manifests and runtimes have them.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  ImageNames,
  isSandboxImage,
  nameKey,
} from "../../../mod/reclaim/image_names.ts";

const HEX = "1f".repeat(32);
const OTHER = "2e".repeat(32);
const IMAGE = {
  id: `sha256:${HEX}`,
  names: [
    "docker.io/library/busybox:latest",
    "registry.local:5000/team/app:1.2",
    `registry.local:5000/team/app@sha256:${OTHER}`,
  ],
};

for (
  const [name, isIt] of [
    ["busybox", true],
    ["busybox:latest", true],
    ["library/busybox", true],
    ["docker.io/busybox", true],
    ["index.docker.io/library/busybox:latest", true],
    ["docker.io/library/busybox", true],
    ["busybox:1.35", false],
    ["otherbusybox", false],
    ["registry.local:5000/team/app:1.2", true],
    ["team/app:1.2", true],
    ["app:1.2", true],
    ["registry.local:5000/team/app", false],
    ["registry.local/team/app:1.2", false],
    [`registry.local:5000/team/app@sha256:${OTHER}`, true],
    [`registry.local:5000/team/app:9@sha256:${OTHER}`, true],
    [`registry.local:5000/team/app@sha256:${HEX}`, false],
    [`sha256:${HEX}`, true],
    [`sha256:${OTHER}`, false],
    ["", false],
  ] as const
) {
  Deno.test(`ImageNames.has() says ${isIt} of "${name.slice(0, 60)}"`, () => {
    strictEqual(new ImageNames(["other:1", name]).has(IMAGE), isIt);
  });
}

Deno.test("ImageNames.has() takes an id without its algorithm, and an image without a name", () => {
  const nameless = { id: HEX, names: [] };
  strictEqual(new ImageNames([HEX]).has(nameless), true);
  strictEqual(new ImageNames([OTHER]).has(nameless), false);
});

for (
  const [name, key] of [
    ["a", "a:latest"],
    ["docker.io/a:1", "a:1"],
    ["index.docker.io/a", "a:latest"],
    ["my.docker.io/a", "my.docker.io/a:latest"],
    ["host:5000/a", "host:5000/a:latest"],
    ["host:5000/a:1", "host:5000/a:1"],
    ["host:5000/a:1@sha256:1f", "host:5000/a@sha256:1f"],
    ["host:5000/a@sha256:1f", "host:5000/a@sha256:1f"],
    ["sha256:1f", "sha256:1f"],
    // None that a registry would take, and still not one for another.
    ["", ":latest"],
    ["@sha256:1f", "@sha256:1f"],
    [":1", ":1"],
    ["a/:1", "a/:1"],
    ["a:/b", "a:/b:latest"],
  ] as const
) {
  Deno.test(`nameKey() of "${name}" is "${key}"`, () => {
    strictEqual(nameKey(name), key);
  });
}

for (
  const [name, isIt] of [
    ["b", true],
    ["a//b", true],
    ["/b", true],
    ["a/b", false],
  ] as const
) {
  Deno.test(`ImageNames.has() says ${isIt} of "${name}" for an image "a//b"`, () => {
    const image = { id: "1", names: ["a//b"] };
    strictEqual(new ImageNames([name]).has(image), isIt);
  });
}

Deno.test("ImageNames.has() knows an image by any of its names", () => {
  const image = { id: "1", names: ["r.local/a:1", "r.local/b:1"] };
  strictEqual(new ImageNames(["x", "b:1"]).has(image), true);
  strictEqual(new ImageNames([]).has(image), false);
});

Deno.test("isSandboxImage() says false of an image without a name", () => {
  strictEqual(isSandboxImage({ id: "pause", names: [] }), false);
});

for (
  const [name, isIt] of [
    ["registry.k8s.io/pause:3.6", true],
    ["registry.k8s.io/pause@sha256:1f", true],
    ["localhost:5000/pause", true],
    ["pause", true],
    ["k8s.gcr.io/pause-amd64:3.1", true],
    ["registry.local/pauses:1", false],
    ["registry.local/pause/app:1", false],
    ["registry.local/unpause:1", false],
  ] as const
) {
  Deno.test(`isSandboxImage() says ${isIt} of "${name}"`, () => {
    strictEqual(isSandboxImage({ id: "1", names: ["a/b:1", name] }), isIt);
  });
}
