/**
 * A place in an object that is being checked, where faults are reported in the
 * words of the API server's validation.
 *
 * @module
 */

import { clipText, type FaultList } from "./fault_list.ts";

/**
 * One step of a path to a field, the steps before it, and the list that faults go
 * to.
 *
 * Costs nothing but a small object until it is written out, so that checks can
 * carry it along where nearly always nothing is wrong.
 */
export class Place {
  readonly #faults: FaultList;
  readonly #parent: Place | undefined;
  readonly #step: string | number;
  readonly #isName: boolean;
  readonly #isConcealed: boolean;

  /** Use {@linkcode rootPlace} and go down from there. */
  constructor(
    faults: FaultList,
    parent: Place | undefined,
    options: {
      readonly step: string | number;
      readonly isName: boolean;
      /** Whether values here and below are kept out of what is reported. */
      readonly isConcealed?: boolean;
    },
  ) {
    this.#faults = faults;
    this.#parent = parent;
    this.#step = options.step;
    this.#isName = options.isName;
    this.#isConcealed = options.isConcealed ??
      (parent !== undefined && parent.#isConcealed);
    faults.meter.spend(1);
  }

  /** The field `name` of this object. */
  child(name: string): Place {
    return new Place(this.#faults, this, { step: name, isName: true });
  }

  /** Item `position` of this list, counted from 0. */
  index(position: number): Place {
    return new Place(this.#faults, this, { step: position, isName: false });
  }

  /** The entry `key` of this map. */
  key(key: string): Place {
    return new Place(this.#faults, this, { step: key, isName: false });
  }

  /** This same place, where reports leave out every value, here and below (SE-10). */
  concealed(): Place {
    const options = {
      step: this.#step,
      isName: this.#isName,
      isConcealed: true,
    };
    return new Place(this.#faults, this.#parent, options);
  }

  /** Writes the path: `spec.containers[0].image`, `metadata.labels[app]`. */
  toString(): string {
    if (this.#parent === undefined) return "";
    const before = this.#parent.toString();
    if (!this.#isName) return `${before}[${this.#step}]`;
    return before === "" ? String(this.#step) : `${before}.${this.#step}`;
  }

  /** Counts work that is more than looking at this one place. */
  spend(units: number): void {
    this.#faults.meter.spend(units);
  }

  /** False once so much was reported that further words are a waste. */
  get isHeard(): boolean {
    return !this.#faults.isFull;
  }

  /** Reports a fault in free words. */
  fault(message: string): void {
    this.#faults.add(this.toString(), message);
  }

  /** Reports a field that no version of the API has: a fault, or a warning if that was asked for. */
  unknownField(message: string): void {
    this.#faults.addUnknown(this.toString(), message);
  }

  /** Reports what is allowed and seldom meant. */
  warn(message: string): void {
    this.#faults.warn(this.toString(), message);
  }

  /** Something that must be given is not. */
  required(hint = ""): void {
    this.fault(hint === "" ? "Required value" : `Required value: ${hint}`);
  }

  /** A value breaks a rule, which `detail` states. */
  invalid(value: unknown, detail: string): void {
    this.fault(`Invalid value: ${this.#show(value)}: ${detail}`);
  }

  /** A value is none of a closed set. */
  unsupported(value: unknown, supported: readonly string[]): void {
    const list = supported.map((one) => `"${one}"`).join(", ");
    this.fault(
      `Unsupported value: ${this.#show(value)}: supported values: ${list}`,
    );
  }

  /** A value must be unique and is not. */
  duplicate(value: unknown): void {
    this.fault(`Duplicate value: ${this.#show(value)}`);
  }

  /** Something must not be given here, for the reason in `detail`. */
  forbidden(detail: string): void {
    this.fault(`Forbidden: ${detail}`);
  }

  /** A value exceeds a size, which `detail` states. */
  tooLong(detail: string): void {
    this.fault(`Too long: ${detail}`);
  }

  #show(value: unknown): string {
    return this.#isConcealed ? "(not shown)" : showValue(value);
  }
}

/** The document as a whole. */
export function rootPlace(faults: FaultList): Place {
  return new Place(faults, undefined, { step: "", isName: true });
}

/** Writes a value for a message: strings in quotes, all cut to a readable length. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(clipText(value));
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "a list" : "an object";
  }
  return String(value);
}
