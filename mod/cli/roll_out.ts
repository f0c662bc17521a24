/**
 * `skerry rollout status`, `history` and `undo`.
 *
 * @module
 */

import { parseJson, type RawValue } from "../api/text/mod.ts";
import type { AgentAddress, ClientContext } from "./control_client.ts";
import type { FolderContext } from "./change_manifests.ts";
import { describeTemplate } from "./describe/mod.ts";
import { editsBetween } from "./edit/mod.ts";
import {
  fieldAt,
  findKind,
  prefixedName,
  type ShownObject,
} from "./kinds/mod.ts";
import { takenTest } from "./manifests/mod.ts";
import { fetchObject, fetchObjects, followObjects } from "./object_client.ts";
import type { ObjectTarget, RolloutCommand } from "./parse/mod.ts";
import {
  type Revision,
  revisionKind,
  rolledRevisions,
  type RolloutStatus,
  rolloutStatus,
  unseen,
  wantedRevision,
} from "./rollout/mod.ts";
import { cleanLine, renderTable } from "./text/mod.ts";

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
  target: ObjectTarget,
  { namespace, once, timeoutMs }: RolloutCommand,
  { io, agent, manifestPath }: ClientContext & FolderContext,
): Promise<void> {
  const { resource, name = "" } = target;
  // Says that it is not there, which a watch would wait for.
  await fetchObject(agent, { resource, namespace, name });
  using stop = io.stopRequests();
  const late = new AbortController();
  using _limit = timeoutMs === 0
    ? undefined
    : io.clock.after(timeoutMs, () => late.abort());
  const signal = AbortSignal.any([stop.signal, late.signal]);
  const place = { target, namespace, manifestPath };
  let last = "";
  for await (const status of followStatus(place, { io, agent }, signal)) {
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

/** Where an object is, and its manifest. */
interface RolledPlace {
  readonly target: ObjectTarget;
  readonly namespace: string;
  readonly manifestPath: string;
}

/** How far a rollout is, again and again; first until the agent has what the manifest says. */
async function* followStatus(
  place: RolledPlace,
  context: ClientContext,
  signal: AbortSignal,
): AsyncGenerator<RolloutStatus, void, undefined> {
  for await (const { kind } of untilTaken(place, context, signal)) {
    yield unseen(kind);
  }
  for await (const object of follow(place, context.agent, signal)) {
    const status = rolloutStatus(object);
    if (status === undefined) return;
    yield status;
  }
}

// Longer than an agent takes to read a folder again that tells it of no change.
const TAKEN_MS = 30_000;

/** Gives an object as long as it is not what its manifest says, but not for ever. */
async function* untilTaken(
  place: RolledPlace,
  { io, agent }: ClientContext,
  signal: AbortSignal,
): AsyncGenerator<ShownObject, void, undefined> {
  const { target: { resource, name = "" }, namespace, manifestPath } = place;
  const own = { kind: resource.kind, namespace, name };
  const isTaken = await takenTest(own, manifestPath);
  const patience = new AbortController();
  using _limit = io.clock.after(TAKEN_MS, () => patience.abort());
  const over = AbortSignal.any([signal, patience.signal]);
  for await (const object of follow(place, agent, over)) {
    if (isTaken(object)) return;
    yield object;
  }
}

async function* follow(
  { target: { resource, name = "" }, namespace }: RolledPlace,
  agent: AgentAddress,
  signal: AbortSignal,
): AsyncGenerator<ShownObject, void, undefined> {
  const fieldSelector = `metadata.name=${name}`;
  const wanted = { resource, namespace, fieldSelector };
  for await (const { type, object } of followObjects(agent, wanted, signal)) {
    if (type === "DELETED") {
      throw new RolloutError("Cannot wait longer: object has been deleted");
    }
    yield object;
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
  if (revisions.length === 0) {
    return await io.out(`${shown}\nNo rollout history found.\n`);
  }
  if (revision === 0) {
    const rows = revisions.map(({ number, cause }) => [`${number}`, cause]);
    const table = renderTable([["REVISION", "CHANGE-CAUSE"], ...rows]);
    return await io.out(`${shown}\n${table}\n`);
  }
  const { template } = requireRevision(revisions, revision);
  const text = describeTemplate(template);
  await io.out(`${shown} with revision #${revision}\n${text}`);
}

async function undo(
  target: ObjectTarget,
  command: RolloutCommand,
  context: ClientContext & FolderContext,
): Promise<void> {
  const { namespace, revision, dryRun } = command;
  const { agent, io } = context;
  const { resource, name = "" } = target;
  using stop = io.stopRequests();
  // Of a manifest that was just changed: it is not yet what would be taken back.
  const place = { ...context, target, namespace };
  await Array.fromAsync(untilTaken(place, context, stop.signal));
  if (stop.signal.aborted) return;
  const found = await fetchRevisions(target, { namespace, agent });
  const { object, revisions } = found;
  const shown = prefixedName(resource, name);
  const wanted = requireRevision(revisions, revision);
  if (fieldAt(object, "spec.paused") === true) {
    throw new RolloutError(
      `Cannot roll back ${shown}: it is paused (run rollout resume first)`,
    );
  }
  // Both are as the agent has them, so what only defaults say is no difference.
  const edits = editsBetween(
    rawOf(fieldAt(object, "spec.template")),
    rawOf(wanted.template),
    ["spec", "template"],
  );
  if (edits.length === 0) {
    return await io.out(
      `${shown} skipped rollback (current template already matches revision ${wanted.number})\n`,
    );
  }
  const { editManifest } = await import("./change_manifests.ts");
  const asked = { target, namespace, dryRun, done: "rolled back" };
  await editManifest(asked, () => edits, context);
}

/** An object that is rolled out, and its revisions, the oldest first. */
async function fetchRevisions(
  { resource, name = "" }: ObjectTarget,
  { namespace, agent }: {
    readonly namespace: string;
    readonly agent: AgentAddress;
  },
): Promise<{
  readonly object: ShownObject;
  readonly revisions: readonly Revision[];
}> {
  const object = await fetchObject(agent, { resource, namespace, name });
  const kept = findKind(revisionKind(resource.kind) ?? "");
  const { items } = kept === undefined
    ? { items: [] }
    : await fetchObjects(agent, { resource: kept, namespace });
  return { object, revisions: rolledRevisions(object, items) };
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
