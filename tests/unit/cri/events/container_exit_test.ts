/**
 * What counts as the end of a container, and what as a refusal of the question.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  ExitSource,
  isRefusal,
  readExit,
} from "../../../../mod/cri/events/container_exit.ts";
import { CriError, type CriErrorKind } from "../../../../mod/cri/model/mod.ts";
import { ChannelFailure } from "../../../../mod/cri/rpc/mod.ts";

for (
  const [exitStatus, seconds, nanos, finishedAt] of [
    [0, 1n, 0, 1_000_000_000n],
    [255, 1n, 999_999_999, 1_999_999_999n],
    [256, 1n, 0, undefined],
    [0, 0n, 0, undefined],
    [0, 0n, 1, undefined],
    [0, -1n, 0, undefined],
    [0, 1n, -1, undefined],
    [0, 1n, 1_000_000_000, undefined],
  ] as const
) {
  Deno.test(`readExit() of code ${exitStatus} at ${seconds} s and ${nanos} ns`, () => {
    deepStrictEqual(
      readExit({ exitStatus, exitedAt: { seconds, nanos } }),
      finishedAt && { exitCode: exitStatus, finishedAt },
    );
  });
}

Deno.test("readExit() of an end without a time", () => {
  strictEqual(readExit({ exitStatus: 0, exitedAt: undefined }), undefined);
});

function failure(kind: CriErrorKind, code?: number): CriError {
  const cause = code === undefined ? undefined : new ChannelFailure(code, "no");
  return new CriError({ kind, method: "GetTask", detail: "no" }, { cause });
}

for (
  const [what, error, wanted] of [
    ["unimplemented", failure("unimplemented"), true],
    ["PERMISSION_DENIED", failure("failed", 7), true],
    ["UNAUTHENTICATED", failure("failed", 16), true],
    ["another code of gRPC", failure("failed", 8), false],
    ["a failure without a code", failure("failed"), false],
    ["no failure of the runtime", new Error("no"), false],
    ["an answer of the channel alone", new ChannelFailure(7, "no"), false],
  ] as const
) {
  Deno.test(`isRefusal() of ${what} is ${wanted}`, () => {
    strictEqual(isRefusal(error), wanted);
  });
}

Deno.test("ExitSource.ask() asks again after a failure, not after a refusal, and after that when it is reset", async () => {
  const errors: Error[] = [
    new Error("broken"),
    failure("failed"),
    failure("unimplemented"),
    failure("failed"),
  ];
  const exits = new ExitSource({
    isContainerd: () => true,
    rpc: {
      call: (_method, _request, { deadlineMs } = {}) => {
        strictEqual(deadlineMs, 1_000);
        return Promise.reject(errors.shift());
      },
    },
  });
  for (let times = 0; times < 5; times++) {
    strictEqual(await exits.ask("c"), undefined);
  }
  strictEqual(errors.length, 1);
  exits.reset();
  strictEqual(await exits.ask("c"), undefined);
  strictEqual(errors.length, 0);
});

Deno.test("ExitSource.ask() throws that it was cancelled", async () => {
  const exits = new ExitSource({
    isContainerd: () => true,
    rpc: { call: () => Promise.reject(failure("cancelled")) },
  });
  await rejects(exits.ask("c"), { kind: "cancelled" });
});
