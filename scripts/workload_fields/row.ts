/**
 * The rows of docs/workload-fields.md: what becomes of each field of what makes pods, of
 * classes of priorities and of Services.
 *
 * @module
 */

/** A manifest, or a part of one. */
export type ManifestDraft = Readonly<Record<string, unknown>>;

/** What becomes of one field. */
export type WorkloadFieldRow =
  | {
    readonly kind: "done";
    /** What is particular; mostly empty. */
    readonly note: string;
  }
  | {
    readonly kind: "refused";
    readonly message: string;
    /** A manifest that is refused with that message. */
    readonly example: ManifestDraft;
  }
  | {
    readonly kind: "not_applicable";
    /** Why it is taken and has no effect. */
    readonly why: string;
  };

/** A field that is honoured as in a cluster. */
export function done(note: string = ""): WorkloadFieldRow {
  return { kind: "done", note };
}

/** A field that is refused with this message, as the example shows. */
export function refused(
  message: string,
  example: ManifestDraft,
): WorkloadFieldRow {
  return { kind: "refused", message, example };
}

/** A field that is taken and has no effect. */
export function notApplicable(why: string): WorkloadFieldRow {
  return { kind: "not_applicable", why };
}

/** The rows of one type, by field. */
export type WorkloadTypeRows = Readonly<Record<string, WorkloadFieldRow>>;
