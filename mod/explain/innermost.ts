/**
 * What containerd and runc say of a failure, cut down to the cause.
 *
 * @module
 */

/**
 * Takes off what each layer has wrapped around a message, and cuts it to what fits a
 * sentence on one line. Events and `describe` have the whole message.
 */
export function innermost(message: string): string {
  let text = oneLine(message);
  // gRPC's code for what it knows no code for.
  if (text.endsWith(UNKNOWN)) text = text.slice(0, -UNKNOWN.length);
  for (let left = MAX_LAYERS; left > 0; left--) {
    const layer = LAYERS.find((each) => each.test(text));
    const inner = layer === undefined ? "" : text.replace(layer, "");
    // Where there is nothing inside, the layer is all that is said.
    if (inner === "") break;
    text = inner;
  }
  return cut(text);
}

const UNKNOWN = ": unknown";

/** Cuts what others say to what fits a sentence on one line. */
export function cut(said: string, maxLength: number = MAX_LENGTH): string {
  const text = oneLine(said);
  if (text.length <= maxLength) return text;
  // A cut may split a character in two.
  return `${text.slice(0, maxLength).toWellFormed()}…`;
}

/** What others say, behind a colon; nothing when they say nothing. */
export function tail(said: string = ""): string {
  return said === "" ? "" : `: ${cut(said)}`;
}

/** Cuts the faults of a manifest; the limit is high, since the operator corrects all. */
export function cutFaults(said: string): string {
  return cut(said, MAX_FAULTS_LENGTH);
}

const MAX_LENGTH = 300;
const MAX_FAULTS_LENGTH = 2_000;

/** No message is wrapped more often. */
const MAX_LAYERS = 16;

/** What containerd, its shim and runc put before the words of another. */
const LAYERS: readonly RegExp[] = [
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
