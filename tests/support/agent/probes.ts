/**
 * Containers that are asked how they are, and what they answer.
 *
 * @module
 */

import type { CoreRig } from "./core_rig.ts";
import { NODE } from "./core_config.ts";
import type { ExecScript } from "../fake_cri/model.ts";
import { busybox, WEB, web } from "./manifests.ts";

/** What a probe asks; its command is this one word. */
export type Question = "live" | "ready" | "start";

/** How a container answers a question. */
export type ProbeAnswer = "yes" | "no" | ExecScript;

const YES: ExecScript = {};
const NO: ExecScript = { exitCode: 1, stderr: "no" };

/** A probe that asks every second by a command, and fails after three answers. */
export function ask(
  question: Question,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { exec: { command: [question] }, periodSeconds: 1, ...fields };
}

/** The container of {@linkcode web} with these probes and other fields. */
export function probed(
  fields: Readonly<Record<string, unknown>>,
  options: {
    readonly name?: string;
    readonly uid?: string;
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  const { spec, ...rest } = options;
  return web({
    ...rest,
    spec: { containers: [busybox(WEB, fields)], ...spec },
  });
}

/** The answers of all containers of a rig; `yes` unless a test says otherwise. */
export class Answers {
  readonly #rig: CoreRig;
  readonly #scripts = new Map<string, ExecScript>();

  constructor(rig: CoreRig) {
    this.#rig = rig;
    rig.fake.settings.exec = ({ name }, [question = ""]) =>
      this.#scripts.get(`${name} ${question}`) ??
        this.#scripts.get(question) ?? YES;
  }

  /** Says what is answered to a question from now on, by all containers or by one. */
  set(question: Question, answer: ProbeAnswer, containerName?: string): void {
    const key = containerName === undefined
      ? question
      : `${containerName} ${question}`;
    this.#scripts.set(
      key,
      answer === "yes" ? YES : answer === "no" ? NO : answer,
    );
  }

  /** How often a question was asked: of all containers, or of one by its id. */
  asked(question: Question, containerId?: string): number {
    return this.askedAt(question, containerId).length;
  }

  /** When a question was asked, by the wall clock. */
  askedAt(question: Question, containerId?: string): readonly number[] {
    return this.#rig.fake.callsOf("ExecSync")
      .filter(({ request }) => {
        const { containerId: id, cmd } = execRequest(request);
        return cmd[0] === question &&
          (containerId === undefined || id === containerId);
      })
      .map(({ atMs }) => atMs);
  }
}

/** A condition of the pod of a manifest's name, as `True` or `False`. */
export function condition(
  rig: CoreRig,
  type: string,
  name = "web",
): string | undefined {
  return rig.status(name)?.conditions?.find((each) => each.type === type)
    ?.status;
}

/** Waits until the pod of a manifest's name is ready, or is not. */
export async function untilReady(
  rig: CoreRig,
  ready: "True" | "False" = "True",
  name = "web",
): Promise<void> {
  await rig.until(
    () => condition(rig, "Ready", name) === ready,
    `Ready ${ready} of "${name}"`,
  );
}

/** The messages of the events of a reason, oldest first. */
export function messages(
  rig: CoreRig,
  reason: string,
  name = "web",
): string[] {
  return rig.core.events.list()
    .filter((event) =>
      event.reason === reason && event.pod.name === `${name}-${NODE}`
    )
    .map(({ message }) => message);
}

/** The timeouts, in seconds, that StopContainer was given from the `from`th call on. */
export function timeouts(rig: CoreRig, from = 0): number[] {
  return rig.fake.calls.slice(from)
    .filter(({ method }) => method === "StopContainer")
    .map(({ request }) => stopTimeout(request));
}

/** Lets time pass and looks at every step; returns every distinct value seen, in order. */
export async function seenWhile<T>(
  rig: CoreRig,
  ms: number,
  look: () => T,
  stepMs = 250,
): Promise<T[]> {
  const seen: T[] = [];
  const note = (): void => {
    const now = look();
    if (seen.at(-1) !== now) seen.push(now);
  };
  await rig.quiet();
  note();
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    await rig.clock.advance(stepMs);
    note();
    await rig.quiet();
    note();
  }
  return seen;
}

// The fake has decoded these by the very messages of the CRI.
function execRequest(
  request: unknown,
): { readonly containerId: string; readonly cmd: readonly string[] } {
  return request as ReturnType<typeof execRequest>;
}

function stopTimeout(request: unknown): number {
  return Number((request as { readonly timeout: bigint }).timeout);
}
