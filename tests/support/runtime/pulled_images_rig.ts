/**
 * Records of pulled images on a disk in memory.
 *
 * @module
 */

import { Hidden } from "../../../mod/base/text/mod.ts";
import { CriError } from "../../../mod/cri/model/mod.ts";
import type { PullCredential } from "../../../mod/runtime/credentials/mod.ts";
import type { VerificationPolicy } from "../../../mod/runtime/images/mod.ts";
import { PulledImages } from "../../../mod/runtime/images/pulled_images.ts";
import { LogRecorder } from "../agent/recorders.ts";
import { FakeClock } from "../fake_clock.ts";

/** The image that most pulls are of. */
export const PULLED_NAME = "r.example/team/app:1";
/** Its id. */
export const PULLED_ID = "sha256:1";

/** A disk in memory: what was written, in which order, and what it refuses. */
export class RecordMemory {
  readonly files: Map<string, string> = new Map();
  readonly steps: string[] = [];
  /** What is logged by those that read it. */
  readonly log: LogRecorder = new LogRecorder();
  /** Beginnings of steps that fail, such as `write /d/pulling`. */
  refused: string | undefined;
  /** What does not survive a power cut. */
  readonly #hasty = new Set<string>();

  /** A disk may know the name of a file before it knows what is in it. */
  cutPower(): void {
    for (const path of this.#hasty) this.files.set(path, "");
  }

  #step(step: string): void {
    this.steps.push(step);
    if (this.refused !== undefined && step.startsWith(this.refused)) {
      throw new Error("No space left on device");
    }
  }

  // The port is asynchronous, and so a failure is a rejection.
  async makeDirectory(): Promise<void> {}

  // deno-lint-ignore require-await -- see above
  async replace(
    path: string,
    content: string,
    { durable }: { readonly durable: boolean },
  ): Promise<void> {
    this.#step(`write ${short(path)}${durable ? " durably" : ""}`);
    this.files.set(path, content);
    if (durable) this.#hasty.delete(path);
    else this.#hasty.add(path);
  }

  // deno-lint-ignore require-await -- see above
  async readTail(path: string): Promise<Uint8Array | undefined> {
    this.#step(`read ${short(path)}`);
    const text = this.files.get(path);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  }

  // deno-lint-ignore require-await -- see above
  async list(path: string): Promise<readonly string[]> {
    this.#step(`list ${path}`);
    return [...this.files.keys()].filter((each) => each.startsWith(`${path}/`))
      .map((each) => each.slice(path.length + 1));
  }

  // deno-lint-ignore require-await -- see above
  async remove(path: string): Promise<void> {
    this.#step(`remove ${short(path)}`);
    this.files.delete(path);
  }
}

/** A path without the digits of its name. */
function short(path: string): string {
  return path.replace(/sha256-[0-9a-f]{64}/, "X");
}

/** What an agent that starts reads from the disk. */
export async function loadPulled(
  disk: RecordMemory,
  policy: VerificationPolicy = "NeverVerifyPreloadedImages",
): Promise<PulledImages> {
  const clock = new FakeClock();
  const { logger: log } = disk.log;
  const loading = PulledImages.load({ files: disk, clock, log }, {
    directory: "/d",
    rules: { policy, allowlist: [] },
  });
  await clock.advance(3_000);
  const images = await loading;
  disk.steps.length = 0;
  return images;
}

/** What is shown, and the Secret that has it. */
export function credentialOf(word: string, secret?: string): PullCredential {
  return {
    username: "me",
    password: new Hidden(word),
    fingerprint: btoa(word),
    ...secret !== undefined && { secret: { namespace: "shop", name: secret } },
  };
}

/** That of a Secret. */
export const MINE: PullCredential = credentialOf("hunter2", "one");
/** That of another one. */
export const THEIRS: PullCredential = credentialOf("theirs", "two");
/** That of the node. */
export const NODES: PullCredential = credentialOf("node");

/** A pull that succeeds. */
export async function pullAs(
  images: PulledImages,
  shown: PullCredential | undefined,
  options: { readonly image?: string; readonly imageId?: string } = {},
): Promise<void> {
  const { image = PULLED_NAME, imageId = PULLED_ID } = options;
  const credentials = shown === undefined ? [] : [shown];
  await images.around(
    { image, credentials },
    () => Promise.resolve({ imageId, credential: shown }),
  );
}

/** A pull that fails; what it rejects with. */
export function failPull(
  images: PulledImages,
  error: unknown,
): Promise<unknown> {
  return images.around(
    { image: PULLED_NAME, credentials: [MINE] },
    () => Promise.reject(error),
  ).catch((error: unknown) => error);
}

/** Whether whoever shows these may have the image. */
export async function mayUseAs(
  images: PulledImages,
  shown: readonly PullCredential[] = [],
  options: { readonly image?: string; readonly imageId?: string } = {},
): Promise<boolean> {
  const { image = PULLED_NAME, imageId = PULLED_ID } = options;
  return await images.mayUse({ image, imageId }, () => shown);
}

/** A failure of the runtime. */
export function saidByCri(
  kind: CriError["kind"],
  method = "PullImage",
): CriError {
  return new CriError({ kind, method, detail: "x" });
}
