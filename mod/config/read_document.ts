/**
 * Checks one configuration document against a table of its fields.
 *
 * @module
 */

import { stableJson } from "../api/objects/mod.ts";
import { isRecord } from "../base/mod.ts";
import { Hidden, NOT_SHOWN, suggest } from "../base/text/mod.ts";
import type { Decoder } from "./decoders.ts";
import type { Field } from "./setting.ts";

/** What is wrong with one field. */
export interface FieldFault {
  readonly field: string;
  /** A sentence that names the field, but not the document. */
  readonly message: string;
}

/** What reading a document needs besides the document. */
export interface ReadDocumentOptions {
  readonly fields: readonly Field[];
  /** The directory against which relative paths are resolved. */
  readonly baseDir: string;
  /** Says where a field that is unknown here belongs, if it is known. */
  readonly elsewhere: (name: string) => string | undefined;
  /**
   * What becomes of fields that are not known, and of values that cannot be honoured yet.
   *
   * @default "refused"
   */
  readonly unhonoured?: "refused" | "listed";
}

/** The decoded values that a document sets, and what is wrong with it. */
export class DocumentReading {
  /** By the field's path. */
  readonly values: Map<string, unknown> = new Map();
  readonly faults: FieldFault[] = [];
  /** Paths of fields that are set and have no meaning here. */
  readonly ignored: string[] = [];
  /** Fields that are not known or not honoured, each with what there is instead. */
  readonly listed: string[] = [];
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #options: ReadDocumentOptions;

  /** Reads every field of `document` and collects every fault. */
  constructor(
    document: Readonly<Record<string, unknown>>,
    options: ReadDocumentOptions,
  ) {
    this.#options = options;
    this.#fields = new Map(options.fields.map((field) => [field.path, field]));
    this.#readMap(document, "");
  }

  #readMap(map: Readonly<Record<string, unknown>>, prefix: string): void {
    for (const [key, value] of Object.entries(map)) {
      if (prefix === "" && (key === "apiVersion" || key === "kind")) continue;
      const path = prefix === "" ? key : `${prefix}.${key}`;
      const field = this.#fields.get(path);
      if (field !== undefined) this.#readField(field, value);
      else if (this.#isBranch(path)) this.#readBranch(path, value);
      else if (this.#lists) this.listed.push(`${path} (no field is known)`);
      else this.#fault(path, this.#unknown(path, key));
    }
  }

  #readBranch(path: string, value: unknown): void {
    if (value === null || value === undefined) return;
    if (isRecord(value)) this.#readMap(value, path);
    else this.#fault(path, refusal(path, value, { wanted: "a map" }));
  }

  #readField(field: Field, raw: unknown): void {
    // JSON writers spell what is not set as null.
    if (raw === null || raw === undefined) return;
    const { path, decoder, treatment } = field;
    const value = decoder.decode(raw, this.#options.baseDir);
    if (value === undefined) {
      return this.#fault(path, refusal(path, raw, decoder));
    }
    // To upstream, Go's zero value of a field that is no pointer is "not set".
    if (field.emptyIsUnset && isEmpty(value)) return;
    if (treatment === "honoured") this.values.set(path, value);
    else if (treatment === "ignored") this.ignored.push(path);
    else if (!isDefault(field, value)) {
      const wanted = showDefault(field);
      if (this.#lists) {
        this.listed.push(`${path} ${show(raw)} (as if ${wanted})`);
        return;
      }
      this.#fault(
        path,
        `Cannot honour ${path} yet: found ${show(raw)}, wanted ${wanted}`,
      );
    }
  }

  get #lists(): boolean {
    return this.#options.unhonoured === "listed";
  }

  #fault(field: string, message: string): void {
    this.faults.push({ field, message });
  }

  #isBranch(path: string): boolean {
    return this.#options.fields.some((field) =>
      field.path.startsWith(`${path}.`)
    );
  }

  #unknown(path: string, key: string): string {
    const place = this.#options.elsewhere(key);
    if (place !== undefined) {
      return `Cannot use ${path}: it is no field of this kind, it belongs ${place}`;
    }
    const meant = this.#meant(path, key);
    const hint = meant === undefined ? "" : `, did you mean "${meant}"`;
    return `Cannot use ${path}: there is no such field${hint}`;
  }

  #meant(path: string, key: string): string | undefined {
    const paths = this.#options.fields.map((field) => field.path);
    // The name may be right and its branch wrong.
    const sameName = paths.find((each) => each.split(".").at(-1) === key);
    if (sameName !== undefined) return sameName;
    const branches = paths.flatMap((each) => {
      const names = each.split(".");
      return names.map((_, index) => names.slice(0, index + 1).join("."));
    });
    const depth = path.split(".").length;
    const near = new Set(
      branches.filter((each) => each.split(".").length === depth),
    );
    return suggest(path, near);
  }
}

/** Says that a field has a value which it cannot have. */
function refusal(
  path: string,
  found: unknown,
  decoder: Pick<Decoder<unknown>, "wanted" | "isSecret">,
): string {
  const shown = decoder.isSecret === true ? NOT_SHOWN : show(found);
  return `Cannot use ${path}: found ${shown}, wanted ${decoder.wanted}`;
}

/** A value as it is shown in a message, shortened if need be. */
export function show(value: unknown): string {
  const shown = JSON.stringify(
    value,
    // Whole numbers too large for a number; JSON knows no other kind.
    (_, each: unknown) => typeof each === "bigint" ? `${each}` : each,
  ) ?? "nothing";
  return shown.length <= 80 ? shown : `${shown.slice(0, 77)}...`;
}

function showDefault({ upstream }: Field): string {
  return upstream === undefined
    ? "it to be left out"
    : `its default ${JSON.stringify(upstream)}`;
}

function isDefault({ decoder, upstream }: Field, value: unknown): boolean {
  return upstream !== undefined &&
    stableJson(value) === stableJson(decoder.decode(upstream, "/"));
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Hidden) return false;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}
