/**
 * `skerry rollout status`, `history` and `undo`.
 *
 * @module
 */

import { parseJson, type RawValue } from "../api/text/mod.ts";
import type { ClientContext } from "./control_client.ts";
import type { FolderContext } from "./change_manifests.ts";
import { editsBetween, type RawEdit } from "./edit/mod.ts";
import { findKind, prefixedName, type ShownObject } from "./kinds/mod.ts";
import { fetchObject, fetchObjects, followObjects } from "./object_client.ts";
import type { ObjectTarget, RolloutCommand } from "./parse/mod.ts";
import {
  type Revision,
  revisionKind,
  rolledRevisions,
  rolloutStatus,
  wantedRevision,
} from "./rollout/mod.ts";
import { cleanLine, dataText, renderTable } from "./text/mod.ts";

/** A rollout that failed, or of which something is not there. */
export class RolloutError extends Error {
  override readonly name = "RolloutError";
}

/**
 * Shows how far rollouts are until they are done, their revisions, or takes them back.
 *
 * @throws {RolloutError} When one has failed, takes too long, or has no such revision.
 */
export async function rollOut(
  command: RolloutCommand,
  context: ClientContext & FolderContext,
): Promise<void> {
  for (const target of command.targets) {
    switch (command.kind) {
      case "rollout_status":
        await showStatus(target, command, context);
        break;
      case "rollout_history":
        await showHistory(target, command, context);
        break;
      case "rollout_undo":
        await undo(target, command, context);
        break;
    }
  }
}

async function showStatus(
  { resource, name = "" }: ObjectTarget,
  { namespace, once, timeoutMs }: RolloutCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  // Says that it is not there, which a watch would wait for.
  await fetchObject(agent, { resource, namespace, name });
  using stop = io.stopRequests();
  const late = new AbortController();
  using _limit = timeoutMs === 0
    ? undefined
    : io.clock.after(timeoutMs, () => late.abort());
  const signal = AbortSignal.any([stop.signal, late.signal]);
  const fieldSelector = `metadata.name=${name}`;
  const wanted = { resource, namespace, fieldSelector };
  let last = "";
  for await (const { type, object } of followObjects(agent, wanted, signal)) {
    if (type === "DELETED") {
      throw new RolloutError("Cannot wait longer: object has been deleted");
    }
    const status = rolloutStatus(object);
    if (status === undefined) return;
    if (status.kind === "failed") throw new RolloutError(status.why);
    if (status.text !== last) await io.out(`${cleanLine(status.text)}\n`);
    last = status.text;
    if (status.kind === "done" || once) return;
  }
  if (late.signal.aborted) {
    throw new RolloutError(
      "Cannot wait longer: timed out waiting for the condition",
    );
  }
}

async function showHistory(
  target: ObjectTarget,
  { namespace, revision }: RolloutCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const { resource, name = "" } = target;
  const { revisions } = await fetchRevisions(target, { namespace, agent });
  const shown = prefixedName(resource, name);
  if (revision === 0) {
    const rows = revisions.map(({ number, cause }) => [`${number}`, cause]);
    const table = renderTable([["REVISION", "CHANGE-CAUSE"], ...rows]);
    return await io.out(`${shown}\n${table}\n`);
  }
  const found = requireRevision(revisions, revision);
  await io.out(
    `${shown} with revision #${revision}\n${dataText(found.template, "yaml")}`,
  );
}

async function undo(
  target: ObjectTarget,
  command: RolloutCommand,
  context: ClientContext & FolderContext,
): Promise<void> {
  const { namespace, revision, dryRun } = command;
  const { agent, io } = context;
  const { resource, name = "" } = target;
  const { revisions } = await fetchRevisions(target, { namespace, agent });
  const newest = revisions.at(-1);
  const wanted = requireRevision(revisions, revision);
  const path = ["spec", "template"];
  const edits: readonly RawEdit[] = editsBetween(
    rawOf(newest?.template),
    rawOf(wanted.template),
    path,
  );
  if (edits.length === 0) {
    return await io.out(
      `${
        prefixedName(resource, name)
      } skipped rollback (current template already matches revision ${wanted.number})\n`,
    );
  }
  const { editManifest } = await import("./change_manifests.ts");
  const asked = { target, namespace, dryRun, done: "rolled back" };
  await editManifest(asked, () => edits, context);
}

/** An object that is rolled out, and its revisions, the oldest first. */
async function fetchRevisions(
  { resource, name = "" }: ObjectTarget,
  { namespace, agent }:
    & Pick<RolloutCommand, "namespace">
    & Pick<
      ClientContext,
      "agent"
    >,
): Promise<{
  readonly object: ShownObject;
  readonly revisions: readonly Revision[];
}> {
  const object = await fetchObject(agent, { resource, namespace, name });
  const kept = findKind(revisionKind(resource.kind) ?? "");
  const { items } = kept === undefined
    ? { items: [] }
    : await fetchObjects(agent, { resource: kept, namespace });
  const revisions = rolledRevisions(object, items);
  if (revisions.length > 0) return { object, revisions };
  throw new RolloutError(
    `Cannot show it: no rollout history found for ${resource.kind.toLowerCase()} "${name}"`,
  );
}

function requireRevision(
  revisions: readonly Revision[],
  number: number,
): Revision {
  const found = wantedRevision(revisions, number);
  if (found !== undefined) return found;
  throw new RolloutError(
    number === 0
      ? "Cannot roll back: no last revision to roll back to"
      : `Cannot show it: unable to find specified revision ${number} in history`,
  );
}

/** What came as JSON, as manifests have it. */
function rawOf(value: unknown): RawValue {
  const result = parseJson(JSON.stringify(value ?? null));
  return result.kind === "ok" ? result.documents[0]?.value ?? null : null;
}
