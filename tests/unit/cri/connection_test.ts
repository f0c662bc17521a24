/**
 * Which endpoints there are.
 *
 * @module
 */

import { strictEqual, throws } from "node:assert/strict";
import { socketPath } from "../../../mod/cri/connection.ts";

for (
  const endpoint of [
    "unix:///run/containerd.sock",
    "unix:/run/containerd.sock",
    "/run/containerd.sock",
  ]
) {
  Deno.test(`socketPath() understands ${endpoint}`, () => {
    strictEqual(socketPath(endpoint), "/run/containerd.sock");
  });
}

for (
  const endpoint of ["", "tcp://127.0.0.1:1", "run/x.sock", "unix://x.sock"]
) {
  Deno.test(`socketPath() refuses "${endpoint}"`, () => {
    throws(() => socketPath(endpoint), TypeError);
  });
}
