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
  // gRPC's code for what it knows no code for.
  text = without(text, ": unknown");
  text = withoutEcho(withoutPod(text));
  const absence = findAbsence(text);
  if (absence !== undefined) text = text.slice(0, absence);
  for (let left = MAX_LAYERS; left > 0; left--) {
    const layer = LAYERS.find((each) => each.test(text));
    const inner = layer === undefined ? "" : text.replace(layer, "");
    // Where there is nothing inside, the layer is all that is said.
    if (inner === "") break;
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
  return findAbsence(message) !== undefined;
}

const MAX_LENGTH = 300;
const MAX_FAULTS_LENGTH = 2_000;

/** No message is wrapped more often. */
const MAX_LAYERS = 16;

// The words of mod/cri/rpc/translate_failure.ts.
const UNCONNECTED = "no connection: ";
const WANTED_RUNTIME = ", wanted a CRI runtime that listens";

/** Where a message begins to say what it wanted instead of a connection; what follows says the same once more. */
function findAbsence(message: string): number | undefined {
  const start = message.indexOf(UNCONNECTED);
  if (start < 0) return undefined;
  const wanted = message.indexOf(WANTED_RUNTIME, start + UNCONNECTED.length);
  return wanted < 0 ? undefined : wanted;
}

function without(text: string, tail: string): string {
  return text.endsWith(tail) ? text.slice(0, -tail.length) : text;
}

/** Upstream names the pod where it refuses a container: ` (pod: "a", container: b)`. */
function withoutPod(text: string): string {
  const start = text.lastIndexOf(POD);
  if (start < 0) return text;
  const quote = text.indexOf('"', start + POD.length);
  const isTail = text.startsWith(CONTAINER, quote) &&
    text.indexOf(")", quote) === text.length - 1;
  return isTail ? text.slice(0, start) : text;
}

const POD = ' (pod: "';
const CONTAINER = '", container: ';

/** `both failed: x (x)` as `both failed: x`: the only one of several failures, of which all is said already. */
function withoutEcho(text: string): string {
  if (!text.endsWith(")")) return text;
  let from = text.length;
  for (let tries = 0; tries < MAX_LAYERS; tries++) {
    const open = text.lastIndexOf(" (", from);
    if (open <= 0) return text;
    const said = text.slice(open + 2, -1);
    const before = text.slice(0, open);
    const isEcho = before === said || before.endsWith(`: ${said}`);
    if (isEcho && said !== "") return before;
    from = open - 1;
  }
  return text;
}

/** Says who passed a message on, or repeats what the sentence has said. */
const LAYERS: readonly RegExp[] = [
  // The agent: mod/cri/model/error.ts, mod/runtime/{images,kill}.ts, mod/agent/sync/tell_failure.ts.
  /^Cannot [A-Z]\w+:? /,
  /^Cannot stop pod "[^"]*":? /,
  /^error (?:killing pod|determining status|making pod data directories):? /,
  /^ErrImagePull:? /,
  /^Back-off pulling image "[^"]*":? /,
  /^Failed to inspect image "[^"]*":? /,
  /^Failed to apply default image tag "[^"]*":? /,
  /^couldn't parse image reference "[^"]*":? /,
  // gRPC, containerd, its shim and runc.
  /^failed to pull (?:and unpack )?image "[^"]*":? /,
  /^failed to resolve (?:reference|image) "[^"]*":? /,
  /^failed to do request:? /,
  /^failed to (?:create|start) containerd (?:task|container)(?: "[^"]*")?:? /,
  /^failed to create shim(?: task)?:? /,
  /^OCI runtime create failed:? /,
  /^runc create failed:? /,
  /^unable to start container process:? /,
  /^error during container init:? /,
];

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
