/**
 * What others say of a failure, cut down to the cause.
 *
 * @module
 */

/**
 * Takes off what a message is wrapped in by those who passed it on, and cuts it to
 * what fits a sentence on one line. Events and `describe` have the whole of it.
 *
 * @example What runc says, through its shim and containerd
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { causeOf } from "./explain_cause.ts";
 *
 * strictEqual(
 *   causeOf(
 *     "failed to create containerd task: failed to create shim task: " +
 *       'OCI runtime create failed: exec: "/x": no such file or directory: unknown',
 *   ),
 *   'exec: "/x": no such file or directory',
 * );
 * ```
 */
export function causeOf(message: string): string {
  let text = oneLine(message);
  for (const tail of TAILS) text = text.replace(tail, "");
  // The only one of several failures, of which all is said already.
  text = text.replace(/^(.*: |)(.+) \(\2\)$/, "$1$2");
  text = text.replace(UNCONNECTED, "no connection: $1");
  for (let left = MAX_LAYERS; left > 0; left--) {
    const inner = text.replace(LAYER, "");
    // Where there is nothing inside, the layer is all that is said.
    if (inner === text || inner === "") break;
    text = inner;
  }
  return cut(text);
}

/** Cuts what others say to what fits a sentence on one line. */
export function cut(said: string, maxLength: number = MAX_LENGTH): string {
  const text = oneLine(said);
  if (text.length <= maxLength) return text;
  // A cut may split a character in two.
  return `${text.slice(0, maxLength).toWellFormed()}…`;
}

/** Cuts the faults of a manifest, which whoever mends it wants to see all. */
export function cutFaults(said: string): string {
  return cut(said, MAX_FAULTS_LENGTH);
}

/** Whether something failed only because the runtime was not there. */
export function isAbsence(message: string): boolean {
  return UNCONNECTED.test(message);
}

const MAX_LENGTH = 300;
const MAX_FAULTS_LENGTH = 2_000;

/** No message is wrapped more often. */
const MAX_LAYERS = 16;

// The words of mod/cri/translate_failure.ts; what follows says the same once more.
const UNCONNECTED = /no connection: (.*?), wanted a CRI runtime that listens.*/;

/** Says who passed a message on, or repeats what the sentence has said. */
const LAYER = new RegExp(
  `^(?:${
    [
      // The agent: mod/cri/error.ts, mod/runtime/{images,kill}.ts, mod/agent/tell_failure.ts.
      "Cannot [A-Z]\\w+",
      'Cannot stop pod "[^"]*"',
      "error (?:killing pod|determining status|making pod data directories)",
      "ErrImagePull",
      'Back-off pulling image "[^"]*"',
      'Failed to inspect image "[^"]*"',
      'Failed to apply default image tag "[^"]*"',
      'couldn\'t parse image reference "[^"]*"',
      // gRPC, containerd, its shim and runc.
      'failed to pull (?:and unpack )?image "[^"]*"',
      'failed to resolve (?:reference|image) "[^"]*"',
      "failed to do request",
      'failed to (?:create|start) containerd (?:task|container)(?: "[^"]*")?',
      "failed to create shim(?: task)?",
      "OCI runtime create failed",
      "runc create failed",
      "unable to start container process",
      "error during container init",
    ].join("|")
  }):? `,
);

const TAILS: readonly RegExp[] = [
  // gRPC's code for what it knows no code for.
  /: unknown$/,
  // Upstream names the pod where it refuses a container.
  / \(pod: "[^"]*", container: [^)]*\)$/,
];

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
