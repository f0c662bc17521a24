/**
 * Objects that follow manifests.
 *
 * @module
 */

import { type AccessRef, ApiFailure } from "../api/access/mod.ts";
import { isRecord } from "../base/mod.ts";
import { accessRef, keyOf, kindFacts, objectWords } from "./kept_kinds.ts";
import {
  type ManifestObject,
  ManifestSets,
  type Wanted,
} from "./manifest_sets.ts";
import { withJobSelector } from "./new_object.ts";
import type { ObjectEdits } from "./object_edits.ts";
import type { ObjectState } from "./object_state.ts";
import type { Heard } from "./object_store.ts";
import type { KeptObject, ManifestNote } from "./object_table.ts";
import { type AnyObject, isDeleted } from "./parts.ts";

/** An object of a manifest that could not be taken as it stands there. */
export interface RefusedManifest {
  readonly source: string;
  readonly ref: AccessRef;
  readonly failure: ApiFailure;
}

/** The manifest that a client's deletion was about. */
export interface Dismissal {
  readonly source: string;
  readonly hash: string;
}

/** What a {@linkcode ManifestKeeper} is built on. */
export interface ManifestKeeperDeps {
  readonly state: ObjectState;
  readonly edits: ObjectEdits;
  /** Keeps something under a key; `undefined` for nothing. */
  readonly note: (key: string, value: Dismissal | undefined) => void;
}

/**
 * Makes, changes and removes objects as the sets of sources say.
 *
 * An object stays the same one as long as its name stays: its UID, its status, and what
 * clients have added to its metadata. What clients have changed stays, too, until its
 * manifest says something else. One that a client has deleted does not come back before
 * its manifest changes.
 */
export class ManifestKeeper {
  readonly #deps: ManifestKeeperDeps;
  readonly #sets: ManifestSets;
  readonly #refused = new Map<string, RefusedManifest>();
  /** What was deleted by a client, by key. */
  readonly #dismissed = new Map<string, Dismissal>();

  /** @param sources all sources that there are; absent: any may still speak */
  constructor(
    sources: readonly string[] | undefined,
    deps: ManifestKeeperDeps,
  ) {
    this.#sets = new ManifestSets(sources);
    this.#deps = deps;
  }

  /** All that could not be taken, as things are now. */
  get refused(): readonly RefusedManifest[] {
    return [...this.#refused.values()];
  }

  /** Takes the full set of one source; what is not in it goes if the source has said all. */
  replace(
    source: string,
    objects: readonly ManifestObject[],
    heard: Heard,
  ): void {
    const keys = this.#sets.replace(source, objects, heard);
    if (this.#deps.state.isReady) this.settleAll(keys);
  }

  /** Begins with what was noted of an earlier agent. */
  restore(notes: ReadonlyMap<string, unknown>): void {
    for (const [key, value] of notes) {
      if (!key.startsWith(DISMISSED) || !isDismissal(value)) continue;
      this.#dismissed.set(key.slice(DISMISSED.length), value);
    }
  }

  /** Has all that manifests ever had a say in follow them. */
  settleAll(keys: Iterable<string> = this.#sets.keys()): void {
    const kept = [...this.#deps.state.table.all()]
      .filter(({ origin }) => origin.kind === "manifest")
      .map(({ object }) => keyOf(object));
    const dismissed = this.#dismissed.keys();
    for (const key of new Set([...keys, ...kept, ...dismissed])) {
      this.settle(key);
    }
  }

  /** Notes that a client deletes an object, so that its manifest does not bring it back. */
  dismiss({ object, origin }: KeptObject): void {
    if (origin.kind !== "manifest") return;
    const { source, hash } = origin.note;
    this.#setDismissed(keyOf(object), { source, hash });
  }

  /** Has one name follow the manifests. */
  settle(key: string): void {
    const kept = this.#deps.state.table.byKey(key);
    const holder = kept?.origin.kind === "manifest"
      ? kept.origin.note.source
      : this.#dismissed.get(key)?.source;
    const wanted = this.#sets.wanted(key, holder);
    this.#refused.delete(key);
    switch (wanted.kind) {
      case "unknown":
        return;
      case "nothing":
        this.#setDismissed(key, undefined);
        if (kept?.origin.kind === "manifest" && !isDeleted(kept.object)) {
          this.#deps.edits.end(kept, { propagation: "Background" });
        }
        return;
      case "object":
        return this.#take(key, wanted, kept);
    }
  }

  #take(
    key: string,
    { manifest, note }: Wanted & { readonly kind: "object" },
    kept: KeptObject | undefined,
  ): void {
    if (this.#dismissed.get(key)?.hash === note.hash) return;
    this.#setDismissed(key, undefined);
    try {
      if (kept === undefined) this.#create(manifest, note);
      else this.#follow(kept, manifest, note);
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      const ref = accessRef(manifest);
      this.#refused.set(key, { source: note.source, ref, failure });
    }
  }

  #create(manifest: ManifestObject, note: ManifestNote): void {
    const { writtenHash: _written, ...wish } = manifest;
    this.#deps.edits.create(wish, factsOf(manifest), {
      kind: "manifest",
      note,
    });
  }

  #follow(
    kept: KeptObject,
    manifest: ManifestObject,
    note: ManifestNote,
  ): void {
    const { object, origin } = kept;
    if (origin.kind !== "manifest") {
      throw new ApiFailure(
        "AlreadyExists",
        `Cannot take ${objectWords(accessRef(object))} ` +
          "from its manifest: there is one of that name that no manifest made",
      );
    }
    // When it is gone, its manifest is looked at again.
    if (isDeleted(object)) return;
    const before = origin.note;
    if (before.hash === note.hash && before.source === note.source) return;
    const wish = before.hash === note.hash
      ? object
      : follower(object, manifest, before);
    this.#deps.edits.edit(kept, wish, factsOf(manifest), {
      kind: "manifest",
      note,
    });
  }

  #setDismissed(key: string, dismissal: Dismissal | undefined): void {
    if (dismissal === undefined) this.#dismissed.delete(key);
    else this.#dismissed.set(key, dismissal);
    this.#deps.note(`${DISMISSED}${key}`, dismissal);
  }
}

const DISMISSED = "dismissed\n";

function isDismissal(value: unknown): value is Dismissal {
  return isRecord(value) && typeof value["source"] === "string" &&
    typeof value["hash"] === "string";
}

function factsOf(manifest: ManifestObject): NonNullable<
  ReturnType<typeof kindFacts>
> {
  const facts = kindFacts(manifest);
  if (facts?.isWritable === true) return facts;
  throw new ApiFailure(
    "NotFound",
    `This node keeps no ${manifest.kind} of version "${manifest.apiVersion}"`,
  );
}

/** The object as its manifest wants it now, with what others have added. */
function follower(
  object: AnyObject,
  { metadata, spec }: ManifestObject,
  before: ManifestNote,
): AnyObject {
  const labels = merged(object.metadata.labels, metadata.labels, before.labels);
  const annotations = merged(
    object.metadata.annotations,
    metadata.annotations,
    before.annotations,
  );
  const { labels: _labels, annotations: _annotations, ...rest } =
    object.metadata;
  const wish: AnyObject = {
    ...object,
    metadata: {
      ...rest,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec,
  };
  return object.kind === "Job" ? withJobSelector(wish) : wish;
}

/** What is there, without what the manifest does not say any more, and with what it says. */
function merged(
  there: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
  before: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(there ?? {})
    .filter(([key]) => !before.includes(key));
  const entries = [...kept, ...Object.entries(wanted ?? {})];
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
