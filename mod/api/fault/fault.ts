/**
 * What is wrong with a manifest, and where.
 *
 * @module
 */

/** One thing that is wrong with a manifest. */
export interface Fault {
  /** The field's path, such as `spec.containers[0].image`; empty for the document as a whole. */
  readonly field: string;
  /** In the API server's style: `Invalid value: "x": must be …`. */
  readonly message: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based position of the document in its file. */
  readonly document?: number;
}

/**
 * Writes a fault on one line: `document 2, line 7: spec.hostname: Invalid value: …`.
 *
 * The document is left out where the fault names none.
 */
export function formatFault(fault: Fault): string {
  const place: string[] = [];
  if (fault.document !== undefined) place.push(`document ${fault.document}`);
  if (fault.line !== undefined) place.push(`line ${fault.line}`);
  const parts = [place.join(", "), fault.field, fault.message];
  return parts.filter((part) => part !== "").join(": ");
}
