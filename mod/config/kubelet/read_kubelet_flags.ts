/**
 * Reads arguments as the kubelet reads its own (pflag).
 *
 * @module
 */

import { FIELD_FLAGS } from "./field_flags.ts";
import type { KubeletFlag } from "./kubelet_flag.ts";
import { OWN_FLAGS } from "./own_flags.ts";
import { readFlagText } from "./read_flag_text.ts";

/** All flags of the kubelet, by name. */
export const KUBELET_FLAGS: readonly KubeletFlag[] = [
  ...FIELD_FLAGS,
  ...OWN_FLAGS,
].sort((a, b) => a.name < b.name ? -1 : 1);

/** What is wrong with an argument. */
export type KubeletFlagFault =
  | { readonly kind: "unknown"; readonly rawName: string }
  | { readonly kind: "argument"; readonly text: string }
  | {
    readonly kind: "value";
    readonly name: string;
    /** Absent when there is none. */
    readonly found?: string;
    readonly wanted: string;
  };

/** What the arguments say. */
export interface KubeletFlagReading {
  /** Values of fields of the configuration, by their paths, as a file would have them. */
  readonly fields: ReadonlyMap<string, FlagField>;
  /** The same for `skerry run`. */
  readonly runArguments: readonly string[];
  readonly configPath: string | undefined;
  readonly configDir: string | undefined;
  /** Whether a controller of the cloud makes the node ready for pods. */
  readonly hasCloud: boolean;
  /** Flags without effect, each with the reason. */
  readonly inert: readonly string[];
  readonly faults: readonly KubeletFlagFault[];
}

/** A value of a field, and the flag that gave it. */
export interface FlagField {
  readonly flag: string;
  readonly value: unknown;
}

/**
 * Reads the arguments behind the kubelet's name; later ones count before earlier ones.
 *
 * @param own the flags of `skerry run`, which count as well, and whether each is a switch
 */
export function readKubeletFlags(
  args: readonly string[],
  own: ReadonlyMap<string, boolean>,
): KubeletFlagReading {
  const reader = new FlagReader(own);
  for (let at = 0; at < args.length; at++) {
    const { name, inline, rawName } = splitArgument(args[at] ?? "");
    if (rawName === undefined) {
      reader.faults.push({ kind: "argument", text: args[at] ?? "" });
      continue;
    }
    const isSwitch = reader.isSwitch(name);
    if (isSwitch === undefined) {
      reader.faults.push({ kind: "unknown", rawName });
      // What stands behind it is most likely its value.
      if (inline === undefined && !args[at + 1]?.startsWith("-")) at++;
      continue;
    }
    const text = inline ?? (isSwitch ? "true" : args[++at]);
    reader.take(name, text);
  }
  return reader.reading;
}

interface SplitArgument {
  readonly name: string;
  readonly inline: string | undefined;
  /** Absent when it is no flag. */
  readonly rawName: string | undefined;
}

const SHORT: ReadonlyMap<string, string> = new Map([["v", "v"], ["h", "help"]]);

function splitArgument(arg: string): SplitArgument {
  if (!arg.startsWith("-") || arg === "-" || arg === "--") {
    return { name: "", inline: undefined, rawName: undefined };
  }
  if (!arg.startsWith("--")) {
    // As with pflag: one letter, and the rest is its value.
    const name = SHORT.get(arg[1] ?? "");
    const rest = arg.slice(2);
    const inline = rest === "" ? undefined : rest.replace(/^=/, "");
    if (name !== undefined) return { name, inline, rawName: arg };
    return { name: "", inline: undefined, rawName: arg.split("=")[0] ?? arg };
  }
  const at = arg.indexOf("=");
  const rawName = at < 0 ? arg : arg.slice(0, at);
  return {
    name: rawName.slice(2).replaceAll("_", "-"),
    inline: at < 0 ? undefined : arg.slice(at + 1),
    rawName,
  };
}

/** Collects what arguments say. */
class FlagReader {
  readonly faults: KubeletFlagFault[] = [];
  readonly #own: ReadonlyMap<string, boolean>;
  readonly #fields = new Map<string, FlagField>();
  readonly #runArguments: string[] = [];
  readonly #inert = new Map<string, string>();
  readonly #told = new Map<string, string>();

  constructor(own: ReadonlyMap<string, boolean>) {
    this.#own = own;
  }

  /** `undefined` for a flag that is not known. */
  isSwitch(name: string): boolean | undefined {
    const flag = KUBELET_FLAGS.find((each) => each.name === name);
    if (flag === undefined) return this.#own.get(name);
    // The kubelet's --version may stand alone.
    return flag.form === "switch" || name === "version";
  }

  take(name: string, text: string | undefined): void {
    const flag = KUBELET_FLAGS.find((each) => each.name === name);
    if (text === undefined) {
      this.faults.push({ kind: "value", name, wanted: "one" });
    } else if (flag === undefined) {
      this.#runArguments.push(`--${name}=${text}`);
    } else this.#takeKnown(flag, text);
  }

  #takeKnown({ name, form, meaning }: KubeletFlag, text: string): void {
    switch (meaning.kind) {
      case "setting":
        // As with the kubelet, an empty one is none.
        if (text !== "") this.#runArguments.push(`--${meaning.name}=${text}`);
        return;
      case "own":
        this.#told.set(name, text);
        return;
      case "inert":
        if (text !== "") this.#inert.set(name, meaning.why);
        return;
      case "field": {
        const { path } = meaning;
        const before = this.#fields.get(path)?.value;
        const read = readFlagText(form, { text, before });
        if (read.kind === "refused") {
          const { wanted } = read;
          this.faults.push({ kind: "value", name, found: text, wanted });
        } else this.#fields.set(path, { flag: name, value: read.value });
      }
    }
  }

  get reading(): KubeletFlagReading {
    const cloud = this.#told.get("cloud-provider") ?? "";
    const faults = cloud === "" || cloud === "external" ? this.faults : [
      ...this.faults,
      {
        kind: "value",
        name: "cloud-provider",
        found: cloud,
        wanted: '"external" or nothing',
      } as const,
    ];
    return {
      fields: this.#fields,
      runArguments: this.#runArguments,
      configPath: this.#told.get("config") || undefined,
      configDir: this.#told.get("config-dir") || undefined,
      hasCloud: cloud === "external",
      inert: [...this.#inert].map(([name, why]) => `--${name} (${why})`),
      faults,
    };
  }
}
