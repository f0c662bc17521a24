/**
 * Who holds a name, in the words of runtimes, and what is done to free it.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CriError, type CriErrorKind } from "../../../../mod/cri/model/mod.ts";
import {
  freeName,
  nameHolder,
} from "../../../../mod/runtime/start/name_conflict.ts";
import { containerRow, sandboxRow } from "../../../support/runtime_rows.ts";
import { SmallRuntime } from "../../../support/runtime/small_runtime.ts";

const ID = "483759cd432bcb85a0d99d35661305925b608eb683c285b261bd0629a56dd813";

const ROWS: readonly (readonly [CriErrorKind, string, string | undefined])[] = [
  [
    "failed",
    `failed to reserve sandbox name "p_n_u_1": name "p_n_u_1" is reserved for "${ID}"`,
    ID,
  ],
  [
    "failed",
    `the container name "k8s_c_p_n_u_0" is already in use by ${ID}. You have to remove that container to be able to reuse that name: that name is already in use`,
    ID,
  ],
  ["already_exists", "it exists", ""],
  ["failed", "no address left", undefined],
  ["not_found", "no such sandbox", undefined],
];

for (const [kind, detail, expected] of ROWS) {
  Deno.test(`nameHolder() finds ${JSON.stringify(expected)} in "${detail.slice(0, 40)}…"`, () => {
    const error = new CriError({ kind, method: "CreateContainer", detail });
    strictEqual(nameHolder(error), expected);
  });
}

Deno.test("nameHolder() takes no other error for a conflict", () => {
  strictEqual(nameHolder(new Error(`is reserved for "${ID}"`)), undefined);
});

/** A runtime that removes what it is told to. */
class Remover extends SmallRuntime {
  readonly done: string[] = [];
  /** What every removal fails with, if it does. */
  failure: Error | undefined;

  removeContainer(id: string): Promise<void> {
    return this.#do(`remove container ${id}`);
  }

  stopPodSandbox(id: string): Promise<void> {
    return this.#do(`stop sandbox ${id}`);
  }

  removePodSandbox(id: string): Promise<void> {
    return this.#do(`remove sandbox ${id}`);
  }

  #do(what: string): Promise<void> {
    this.done.push(what);
    return this.failure === undefined
      ? Promise.resolve()
      : Promise.reject(this.failure);
  }
}

const { signal } = new AbortController();
const SANDBOX = { uid: "u", kind: "sandboxes", signal } as const;
const CONTAINER = { uid: "u", kind: "containers", signal } as const;

/** A pod with one sandbox and one container. */
function remover(): Remover {
  const runtime = new Remover();
  runtime.sandboxes = [sandboxRow("u")];
  runtime.containers = [containerRow("u")];
  return runtime;
}

for (const [of, id] of [[SANDBOX, "s-u"], [CONTAINER, "c-u"]] as const) {
  Deno.test(`freeName() leaves to the next plan what is listed of ${of.kind}`, async () => {
    const runtime = remover();
    strictEqual(await freeName(runtime, id, of), true);
    strictEqual(await freeName(runtime, "", of), true);
    deepStrictEqual(runtime.done, []);
  });

  Deno.test(`freeName() touches nothing when nobody says which of no ${of.kind} it is`, async () => {
    const runtime = new Remover();
    strictEqual(await freeName(runtime, "", of), false);
    deepStrictEqual(runtime.done, []);
  });
}

Deno.test("freeName() removes a container that is not listed", async () => {
  const runtime = remover();
  // A sandbox of this id is another thing.
  strictEqual(await freeName(runtime, "s-u", CONTAINER), false);
  deepStrictEqual(runtime.done, ["remove container s-u"]);
});

Deno.test("freeName() stops and removes a sandbox that is not listed", async () => {
  const runtime = remover();
  strictEqual(await freeName(runtime, ID, SANDBOX), false);
  deepStrictEqual(runtime.done, [`stop sandbox ${ID}`, `remove sandbox ${ID}`]);
});

Deno.test("freeName() lets a failure be, unless it has been told to stop", async () => {
  const runtime = remover();
  runtime.failure = new Error("busy");
  strictEqual(await freeName(runtime, ID, SANDBOX), false);
  const stopped = AbortSignal.abort(new Error("stopped"));
  const of = { ...SANDBOX, signal: stopped };
  await rejects(freeName(runtime, ID, of), /stopped/);
});
