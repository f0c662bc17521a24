/**
 * Every way in which a call fails, and its name here.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ChannelFailure } from "../../../../mod/cri/rpc/byte_channel.ts";
import {
  CriError,
  type CriErrorKind,
} from "../../../../mod/cri/model/error.ts";
import { translateFailure } from "../../../../mod/cri/rpc/translate_failure.ts";

const FACTS = {
  method: "StartContainer",
  signal: undefined,
  expiredMs: undefined,
};

const KINDS: readonly (readonly [number, string, CriErrorKind])[] = [
  [1, "Call cancelled", "unavailable"],
  [2, "failed to start", "failed"],
  [3, "invalid argument", "failed"],
  [4, "context deadline exceeded", "deadline"],
  [5, "not found", "not_found"],
  [6, "exists", "already_exists"],
  [7, "permission denied", "failed"],
  [8, "Received message larger than max", "resource_exhausted"],
  [9, "precondition", "failed"],
  [12, "unknown service", "unimplemented"],
  [13, "Received RST_STREAM with code 2", "unavailable"],
  [13, "panic in the runtime", "failed"],
  [14, "No connection established", "unavailable"],
];

for (const [code, details, kind] of KINDS) {
  Deno.test(`translateFailure() takes ${code} "${details}" for ${kind}`, () => {
    const error = translateFailure(new ChannelFailure(code, details), FACTS);
    strictEqual(error.kind, kind);
    strictEqual(error.detail, details);
    strictEqual(error.message, `Cannot StartContainer: ${details}`);
  });
}

for (
  const [found, told] of [
    [
      "write EPIPE (2026-11-21T18:21:07.946Z). Resolution note:",
      "write EPIPE",
    ],
    [
      "Failed to connect (2026-11-21T18:21:17.879Z). Resolution note: ",
      "Failed to connect",
    ],
    [
      "Error: connect ECONNREFUSED /run/x.sock. Resolution note:",
      "connect ECONNREFUSED /run/x.sock",
    ],
    ["Error: connect ENOENT /run/x.sock", "connect ENOENT /run/x.sock"],
  ] as const
) {
  Deno.test(`translateFailure() says the same at every attempt: "${told}" (RT-12)`, () => {
    const details = `No connection established. Last error: ${found}`;
    const error = translateFailure(new ChannelFailure(14, details), FACTS);
    strictEqual(error.kind, "unavailable");
    strictEqual(
      error.message,
      `Cannot StartContainer: no connection: ${told}, wanted a CRI runtime that listens there`,
    );
  });
}

Deno.test("translateFailure() names the grant that the sandbox lacks", () => {
  const error = translateFailure(
    new ChannelFailure(
      14,
      'No connection established. Last error: NotCapable: Requires write access to "/run/x.sock", run again with the --allow-write flag',
    ),
    FACTS,
  );
  strictEqual(error.kind, "denied");
  strictEqual(
    error.message,
    "Cannot StartContainer: the sandbox forbids it: wanted the grant --allow-write=/run/x.sock",
  );
});

Deno.test("translateFailure() takes a refused load for denied", () => {
  const refusal = new Deno.errors.NotCapable(
    'Requires env access to "GRPC_TRACE", run again with the --allow-env flag',
  );
  const error = translateFailure(refusal, FACTS);
  strictEqual(error.kind, "denied");
  strictEqual(error.detail.includes("--allow-env=GRPC_TRACE"), true);
});

Deno.test("translateFailure() tells a caller that cancelled just that", () => {
  const reason = new Error("enough");
  const error = translateFailure(new ChannelFailure(1, "Cancelled on client"), {
    method: "PullImage",
    signal: AbortSignal.abort(reason),
    expiredMs: 5,
  });
  strictEqual(error.kind, "cancelled");
  strictEqual(error.cause, reason);
});

Deno.test("translateFailure() says how long it waited", () => {
  const facts = { ...FACTS, expiredMs: 120_000 };
  const error = translateFailure(new ChannelFailure(1, "Cancelled"), facts);
  strictEqual(error.kind, "deadline");
  strictEqual(error.detail, "the runtime did not answer within 120000 ms");
});

Deno.test("translateFailure() leaves an error of this edge as it is", () => {
  const error = new CriError({ kind: "failed", method: "Exec", detail: "x" });
  strictEqual(translateFailure(error, FACTS), error);
});

Deno.test("translateFailure() describes what no channel said", () => {
  const error = translateFailure(new RangeError("invalid int32"), FACTS);
  strictEqual(error.kind, "failed");
  strictEqual(error.detail.includes("invalid int32"), true);
});
