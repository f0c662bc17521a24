/**
 * The last words of a container.
 *
 * @module
 */

import {
  ANNOTATION_TERMINATION_MESSAGE_PATH,
  ANNOTATION_TERMINATION_MESSAGE_POLICY,
  LABEL_CONTAINER_NAME,
  LABEL_POD_UID,
} from "../../api/vocabulary/mod.ts";
import type { RuntimeContainerStatus } from "../../cri/model/mod.ts";
import { containerDirectory } from "./container_files.ts";
import type { RuntimeFiles } from "../spec/mod.ts";

// The limits are upstream's (pkg/kubelet/kuberuntime, kubecontainer.MaxContainerTermination…).
const MAX_FILE_BYTES = 4096;
const MAX_LOG_LINES = 80;
const MAX_LOG_BYTES = 2048;
/** Holds 80 short lines, or a line of the longest that runtimes write (16 KiB), with room. */
const LOG_TAIL_BYTES = 64 * 1024;

/**
 * The runtime's message about a dead container with the container's own appended.
 *
 * The container's own is the end of its termination message file; with the policy
 * FallbackToLogsOnError an empty one is replaced by the end of its log when it
 * failed. A file that cannot be read is said so in the message, as upstream.
 */
export async function terminationMessage(
  files: RuntimeFiles,
  status: RuntimeContainerStatus,
): Promise<string> {
  const own = await ownMessage(files, status);
  const message = status.message.slice(0, MAX_FILE_BYTES);
  return [message, own].filter((part) => part !== "").join(": ");
}

/**
 * The end of a log in CRI format: the text of its last 80 lines, cut to 2048
 * bytes. Pure.
 *
 * @param tail the log's last bytes; `cut` says that the log is longer than they are
 */
export function lastLogText(
  tail: Uint8Array,
  options: { readonly cut: boolean },
): string {
  const lines = lenient.decode(tail).split("\n");
  if (lines.at(-1) === "") lines.pop();
  // Half a line has no time stamp, so it looks like text.
  if (options.cut) lines.shift();
  const texts = lines.slice(-MAX_LOG_LINES).map(logText);
  return endOf(new TextEncoder().encode(texts.join("")), MAX_LOG_BYTES);
}

async function ownMessage(
  files: RuntimeFiles,
  status: RuntimeContainerStatus,
): Promise<string> {
  const file = ownFile(status);
  if (file !== undefined) {
    const { podsDir, path } = file;
    const written = await readTail(
      `${podsDir}/${path}`,
      () => files.readTailBelow(podsDir, path, MAX_FILE_BYTES),
    );
    if (written.failure !== undefined) return written.failure;
    if (written.bytes.length > 0) return endOf(written.bytes, MAX_FILE_BYTES);
  }
  if (!fallsBackToLogs(status)) return "";
  const { logPath } = status;
  const log = await readTail(
    logPath,
    () => files.readTail(logPath, LOG_TAIL_BYTES),
  );
  const cut = log.bytes.length === LOG_TAIL_BYTES;
  return log.failure ?? lastLogText(log.bytes, { cut });
}

/**
 * The file that the agent made for the container's last words.
 *
 * A volume can be mounted at the same place. It lies below the agent's file, so the
 * container does not see it. A program that writes to the volume could also put a link
 * there, for example to a Secret of another pod.
 */
function ownFile(
  status: RuntimeContainerStatus,
): { readonly podsDir: string; readonly path: string } | undefined {
  const { annotations, labels, mounts } = status;
  const wanted = annotations[ANNOTATION_TERMINATION_MESSAGE_PATH] ?? "";
  if (wanted === "") return undefined;
  const hostPath =
    mounts.findLast(({ containerPath }) => containerPath === wanted)
      ?.hostPath ?? "";
  const directory = containerDirectory(
    labels[LABEL_POD_UID] ?? "",
    labels[LABEL_CONTAINER_NAME] ?? "",
  );
  const at = hostPath.lastIndexOf(`/${directory}/`);
  if (at < 0) return undefined;
  return { podsDir: hostPath.slice(0, at), path: hostPath.slice(at + 1) };
}

function fallsBackToLogs(status: RuntimeContainerStatus): boolean {
  const policy = status.annotations[ANNOTATION_TERMINATION_MESSAGE_POLICY];
  // A container that could not even be started has written nothing.
  return policy === "FallbackToLogsOnError" && status.exitCode !== 0 &&
    status.reason !== "ContainerCannotRun" && status.logPath !== "";
}

interface Tail {
  readonly bytes: Uint8Array;
  readonly failure?: string;
}

async function readTail(
  path: string,
  read: () => Promise<Uint8Array | undefined>,
): Promise<Tail> {
  try {
    return { bytes: await read() ?? new Uint8Array() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const failure = `Error on reading termination log ${path}: ${why}`;
    return { bytes: new Uint8Array(), failure };
  }
}

/** One line `<time> <stream> <tags> <text>`; a partial one goes on in the next. */
function logText(line: string): string {
  const match = /^\S+ (?:stdout|stderr) (\S+) ?/.exec(line);
  if (match === null) return `${line}\n`;
  const text = line.slice(match[0].length);
  return match[1]?.split(":")[0] === "P" ? text : `${text}\n`;
}

const lenient = new TextDecoder();

/** The end of a text in at most `maxBytes`, without the rest of a character that was cut. */
function endOf(bytes: Uint8Array, maxBytes: number): string {
  let start = Math.max(0, bytes.length - maxBytes);
  const isCut = start > 0 || bytes.length === maxBytes;
  // Bytes 10xxxxxx continue a character; a whole text begins with none.
  while (
    isCut && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80
  ) {
    start++;
  }
  const text = lenient.decode(bytes.subarray(start));
  const shown = new TextEncoder().encode(text);
  // What is not UTF-8 has become longer by being replaced.
  return shown.length <= maxBytes ? text : endOf(shown, maxBytes);
}
