/**
 * `skerry get` of what makes pods and of what they refer to.
 *
 * @module
 */

import {
  type AgentAddress,
  AgentAnswerError,
  type ClientContext,
} from "./control_client.ts";
import type { ShownObject } from "./kinds/mod.ts";
import {
  GrowingTable,
  isTable,
  type Listing,
  nameLine,
  renderList,
  type Shown,
  writeNothing,
} from "./listing.ts";
import {
  fetchObject,
  fetchObjects,
  followObjects,
  type WantedObjects,
} from "./object_client.ts";
import { ServerNotices } from "./get_sources.ts";
import { objectListing } from "./object_row.ts";
import type { GetObjectsCommand } from "./parse/mod.ts";
import { fetchPods, requirePod } from "./pod_list.ts";
import { PODS } from "./pod_row.ts";
import { jsonText } from "./text/mod.ts";

/**
 * Writes the objects in the form asked for, kind by kind.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When it refuses, or a name is not there; what is there has
 * been written then.
 */
export async function getObjects(
  command: GetObjectsCommand,
  context: ClientContext,
): Promise<void> {
  if (command.watch) return await watch(command, context);
  const { io } = context;
  const hasPods = command.targets.some(({ resource }) =>
    resource.kind === "Pod"
  );
  if (hasPods && isTable(command)) await new ServerNotices(context).look();
  const sections: Section[] = [];
  const missing: AgentAnswerError[] = [];
  const groups = Map.groupBy(command.targets, ({ resource }) => resource);
  for (const [resource, targets] of groups) {
    const names = targets.flatMap(({ name }) => name ?? []);
    const wanted = { ...command, resource, names };
    const found = await find(wanted, context.agent);
    if (found.section.items.length > 0) sections.push(found.section);
    missing.push(...found.missing);
  }
  const isNamed = command.targets.some(({ name }) => name !== undefined);
  // One of many kinds may be one that this node does not keep.
  const [failure] = isNamed || missing.length === groups.size ? missing : [];
  if (sections.length > 0 || failure === undefined && !isTable(command)) {
    await io.out(render(sections, command, io.clock.now()));
  } else if (failure === undefined) await writeNothing(command, io);
  if (failure !== undefined) throw failure;
}

/** Objects of one kind, and how they are written. */
interface Section {
  readonly items: readonly object[];
  /** With `prefix` the kind stands before the names. */
  readonly text: (
    shown: Shown,
    options: { readonly nowMs: number; readonly prefix: boolean },
  ) => string;
}

function sectionOf<Item extends object, Row>(
  items: readonly Item[],
  listing: Listing<Item, Row>,
): Section {
  return {
    items,
    text: (shown, { nowMs, prefix }) =>
      renderList(
        prefix ? withPrefix(listing) : listing,
        { items, body: undefined },
        { shown, nowMs },
      ),
  };
}

function withPrefix<Item, Row>(
  listing: Listing<Item, Row>,
): Listing<Item, Row> {
  const columns = listing.columns.map(([heading, cell, only]) => {
    const shown = heading === "NAME"
      ? (row: Row) => `${listing.kind}/${cell(row)}`
      : cell;
    return only === undefined
      ? [heading, shown] as const
      : [heading, shown, only] as const;
  });
  return { ...listing, columns };
}

/** What there is of one kind, all or by names, and which of the names are not there. */
async function find(
  wanted: WantedObjects & { readonly names: readonly string[] },
  agent: AgentAddress,
): Promise<{
  readonly section: Section;
  readonly missing: readonly AgentAnswerError[];
}> {
  const { resource, names } = wanted;
  const missing: AgentAnswerError[] = [];
  const each = async <Item>(
    all: () => Promise<readonly Item[]>,
    one: (name: string) => Promise<Item>,
  ): Promise<readonly Item[]> => {
    const items: Item[] = [];
    const calls = names.map((name) => async () => [await one(name)]);
    for (const call of names.length === 0 ? [all] : calls) {
      try {
        items.push(...await call());
      } catch (error) {
        if (!isMissing(error)) throw error;
        missing.push(error);
      }
    }
    return items;
  };
  if (resource.kind === "Pod") {
    const { items } = await fetchPods(agent, wanted.namespace, wanted);
    const pods = await each(
      () => Promise.resolve(items),
      (name) => Promise.try(requirePod, items, name),
    );
    return { section: sectionOf(pods, PODS), missing };
  }
  const objects = await each(
    async () => (await fetchObjects(agent, wanted)).items,
    (name) => fetchObject(agent, { ...wanted, name }),
  );
  return { section: sectionOf(objects, objectListing(resource)), missing };
}

/** Whether an object or its kind is not there; of pods it is said without a status. */
function isMissing(error: unknown): error is AgentAnswerError {
  return error instanceof AgentAnswerError &&
    (error.status === undefined || error.status === 404);
}

function render(
  sections: readonly Section[],
  command: GetObjectsCommand,
  nowMs: number,
): string {
  const items = sections.flatMap((each) => each.items);
  const { output, targets } = command;
  switch (output) {
    case "table":
    case "wide":
    case "name": {
      const kinds = new Set(targets.map(({ resource }) => resource.kind));
      const options = { nowMs, prefix: kinds.size > 1 };
      return sections.map((each) => each.text(command, options))
        .join(output === "name" ? "" : "\n");
    }
    default: {
      const isOne = targets.length === 1 && targets[0]?.name !== undefined;
      const metadata = { resourceVersion: "" };
      const list = { apiVersion: "v1", items, kind: "List", metadata };
      const body = isOne ? items[0] : list;
      return renderList(NOTHING, { items, body }, { shown: command, nowMs });
    }
  }
}

/** For forms that need no columns. */
const NOTHING: Listing<object, object> = {
  kind: "",
  name: () => "",
  row: (item) => item,
  columns: [],
};

/** Writes a line for everything that is there, and again when it changes, until stopped. */
async function watch(
  command: GetObjectsCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  using stop = io.stopRequests();
  for (const { resource, name } of command.targets) {
    const listing = objectListing(resource);
    const table = new GrowingTable(listing.columns, command);
    const fieldSelector = name === undefined
      ? command.fieldSelector
      : `metadata.name=${escaped(name)}`;
    const wanted = {
      ...command,
      resource,
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
    const line = (object: ShownObject): string => {
      switch (command.output) {
        case "json":
          return jsonText(object);
        case "name":
          return nameLine(listing, object);
        default:
          return table.add([listing.row(object, io.clock.now())]);
      }
    };
    for await (const { object } of followObjects(agent, wanted, stop.signal)) {
      await io.out(line(object));
    }
  }
}

/** A value in a field selector. */
function escaped(name: string): string {
  return name.replace(/[\\,=]/g, "\\$&");
}
