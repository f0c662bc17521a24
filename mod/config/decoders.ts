/**
 * Decoders of single settings, shared by the config file and the flags.
 *
 * @module
 */

import { posix } from "node:path";
import { parseQuantity } from "../api/objects/mod.ts";
import { isRecord } from "../base/mod.ts";
import { isIp, parseCidr, parseDuration } from "../base/text/mod.ts";
import { sysctlPatternProblem } from "../pod/admission/mod.ts";

/** Turns what stands in a file or an argument into a checked value. */
export interface Decoder<T> {
  /** What is wanted, to be read after "wanted". */
  readonly wanted: string;
  /**
   * Returns the value, or `undefined` when `value` is none.
   *
   * `baseDir` is the directory against which relative paths are resolved.
   */
  readonly decode: (value: unknown, baseDir: string) => T | undefined;
  /** Whether what was found is kept out of messages. @default {false} */
  readonly isSecret?: boolean;
}

/** Any text, the empty one too. */
export const text: Decoder<string> = textDecoder("a text", (value) => value);

/** `true` or `false`. */
export const boolean: Decoder<boolean> = {
  wanted: "true or false",
  decode: (value) => typeof value === "boolean" ? value : undefined,
};

/** Any finite number. */
export const number: Decoder<number> = {
  wanted: "a number",
  decode: (value) =>
    typeof value === "number" && Number.isFinite(value) ? value : undefined,
};

/** A whole number within bounds, both included. */
export function integer(
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): Decoder<number> {
  return {
    wanted: min === Number.MIN_SAFE_INTEGER
      ? "a whole number"
      : max === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${min}`
      : `a whole number from ${min} to ${max}`,
    decode: (value) =>
      Number.isSafeInteger(value) && Number(value) >= min &&
        Number(value) <= max
        ? Number(value)
        : undefined,
  };
}

/** A truth value as an argument has it. */
export const switchText: Decoder<boolean> = {
  wanted: '"true" or "false"',
  decode: (value) =>
    value === "true" ? true : value === "false" ? false : undefined,
};

/** A whole number that is not negative. */
export const count: Decoder<number> = integer(0);

/** A TCP port; 0 stands for none. */
export const port: Decoder<number> = integer(0, 65_535);

/** A port as an argument has it. */
export const portText: Decoder<number> = numberText(port);

/** A number as an argument has it. */
export function numberText(decoder: Decoder<number>): Decoder<number> {
  return textDecoder(
    decoder.wanted,
    (text) => /^-?\d+$/.test(text) ? decoder.decode(+text, "/") : undefined,
  );
}

// From this verbosity on, upstream logs every sync.
const DEBUG_VERBOSITY = 4;

/** Upstream's number for a log level; the empty text stands for the usual one. */
export const verbosityLevel: Decoder<"debug" | ""> = {
  ...count,
  decode: (value, baseDir) => {
    const verbosity = count.decode(value, baseDir);
    if (verbosity === undefined) return undefined;
    return verbosity >= DEBUG_VERBOSITY ? "debug" : "";
  },
};

/** A duration in Go's syntax, as milliseconds. */
export const durationMs: Decoder<number> = textDecoder(
  'a duration such as "20s" or "1m30s"',
  (value) => {
    const ms = unlessRefused(() => parseDuration(value));
    return ms !== undefined && ms >= 0 ? ms : undefined;
  },
);

/** A duration, or the bare number of nanoseconds that some writers leave. */
export const durationOrNanosMs: Decoder<number> = {
  wanted: `${durationMs.wanted}, or nanoseconds as a number`,
  decode: (value, baseDir) =>
    typeof value === "number"
      ? value / 1_000_000
      : durationMs.decode(value, baseDir),
};

/**
 * A path, made absolute and normal.
 *
 * The empty text stays empty: in a file it means that the field is not set.
 */
export const path: Decoder<string> = textDecoder(
  "a path without NUL bytes",
  (value, baseDir) =>
    value.includes("\0")
      ? undefined
      : value === ""
      ? ""
      : posix.resolve(baseDir, value),
);

/** A path that is not empty, made absolute and normal. */
export const givenPath: Decoder<string> = {
  ...nonEmpty(path),
  wanted: "a path",
};

/** The path of a unix socket, written as `unix:///run/x.sock` or bare. */
export const endpoint: Decoder<string> = textDecoder(
  'a unix socket such as "unix:///run/containerd/containerd.sock"',
  (value) => {
    if (value === "") return "";
    const bare = value.replace(/^unix:(?:\/\/)?(?=\/)/, "");
    return bare.startsWith("/") && !bare.includes("\0")
      ? posix.normalize(bare)
      : undefined;
  },
);

/** An IP address of either family. */
export const ipAddress: Decoder<string> = textDecoder(
  "an IP address",
  (value) => isIp(value) ? value : undefined,
);

/** One IP address, or one of each family after a comma. */
export const ipAddresses: Decoder<readonly string[]> = textDecoder(
  "an IP address, or one of each family with a comma between",
  (value) => {
    const parts = splitCommas(value);
    return parts.every(isIp) && parts.length <= 2 ? parts : undefined;
  },
);

/** One network of pods. */
export const podNetwork: Decoder<string> = textDecoder(
  'a network such as "10.88.0.0/16", but not one of every address',
  (value) => {
    const text = value.trim();
    const [address = "", bits] = text.split("/");
    const cidr = bits === undefined ? undefined : parseCidr(text);
    // A network of every address would be an unscoped grant.
    return cidr !== undefined && cidr.bits > 0
      ? `${address}/${cidr.bits}`
      : undefined;
  },
);

/** Networks with commas between, such as a dual-stack `podCIDR`. */
export const podNetworks: Decoder<readonly string[]> = textDecoder(
  podNetwork.wanted,
  (value, baseDir) => listOf(podNetwork).decode(splitCommas(value), baseDir),
);

const NODE_NAME =
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** A pod or node name as Kubernetes wants it: a DNS subdomain. */
export const nodeName: Decoder<string> = textDecoder(
  "a DNS name of at most 253 lower-case letters, digits, hyphens and dots",
  (value) => {
    const name = value.trim().toLowerCase();
    return name.length <= 253 && NODE_NAME.test(name) ? name : undefined;
  },
);

/** One of a closed set of words. */
export function choice<const Word extends string>(
  words: readonly Word[],
): Decoder<Word> {
  return {
    wanted: `one of ${words.map((word) => `"${word}"`).join(", ")}`,
    decode: (value) => words.find((word) => word === value),
  };
}

/** The empty text, which stands for "not set", or what `decoder` takes. */
export function orEmpty<T>(decoder: Decoder<T>): Decoder<T | ""> {
  return {
    ...decoder,
    decode: (value, baseDir) =>
      value === "" ? "" : decoder.decode(value, baseDir),
  };
}

/** What `decoder` takes but the empty text. */
export function nonEmpty<T>(decoder: Decoder<T | "">): Decoder<T> {
  return {
    ...decoder,
    decode: (value, baseDir) => {
      const decoded = decoder.decode(value, baseDir);
      return decoded === "" ? undefined : decoded;
    },
  };
}

/** A list of the one value. */
export function single<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return {
    ...item,
    decode: (value, baseDir) => listOf(item).decode([value], baseDir),
  };
}

/** A list whose items are all decoded alike. */
export function listOf<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return {
    wanted: `a list, each of it ${item.wanted}`,
    decode: (value, baseDir) => {
      if (!Array.isArray(value)) return undefined;
      const items: T[] = [];
      for (const each of value) {
        const decoded = item.decode(each, baseDir);
        if (decoded === undefined) return undefined;
        items.push(decoded);
      }
      return items;
    },
  };
}

/** A map whose values are all decoded alike. */
export function mapOf<T>(
  item: Decoder<T>,
): Decoder<Readonly<Record<string, T>>> {
  return {
    wanted: `a map, each value of it ${item.wanted}`,
    decode: (value, baseDir) => {
      if (!isRecord(value)) return undefined;
      const items = listOf(item).decode(Object.values(value), baseDir);
      const keys = Object.keys(value);
      return items &&
        Object.fromEntries(items.map((each, at) => [keys[at], each]));
    },
  };
}

/** A map of anything, for fields whose inside is not looked at. */
export const anyMap: Decoder<Readonly<Record<string, unknown>>> = {
  wanted: "a map",
  decode: (value) => isRecord(value) ? value : undefined,
};

/** Labels of the node: qualified names with short values. */
export const labels: Decoder<Readonly<Record<string, string>>> = namedTexts(
  "labels such as zone=a,disk=ssd",
  (key, value) => isLabelKey(key) && isLabelValue(value),
);

const RESERVABLE = ["cpu", "memory", "ephemeral-storage"];

/** Amounts that are kept from pods, by resource name. */
export const reserved: Decoder<Readonly<Record<string, string>>> = namedTexts(
  "amounts of cpu, memory or ephemeral-storage, such as cpu=500m",
  (name, amount) => RESERVABLE.includes(name) && nanoOf(amount) >= 0n,
);

/** The size of one huge page, a quantity such as `2Mi`. */
export const hugePageSize: Decoder<string> = textDecoder(
  'the size of a huge page such as "2Mi" or "1Gi"',
  (value) => /i$/.test(value) && nanoOf(value) > 0n ? value : undefined,
);

const SYSCTL =
  /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*(?:[./]?\*)?$/;

/** The name of a sysctl, or of all that start alike; one that reaches the node is none. */
export const sysctlPattern: Decoder<string> = textDecoder(
  'the name of a sysctl that pods have of their own, such as "net.core.somaxconn" or "kernel.msg*"',
  (value) =>
    value.length <= 253 && SYSCTL.test(value) &&
      sysctlPatternProblem(value) === undefined
      ? value
      : undefined,
);

/** What stands between commas, each decoded alike. */
export function commaList<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return textDecoder(
    `${item.wanted}; several with commas between`,
    (value, baseDir) => {
      const parts = splitCommas(value);
      return parts.length === 0
        ? undefined
        : listOf(item).decode(parts, baseDir);
    },
  );
}

function textDecoder<T>(
  wanted: string,
  read: (value: string, baseDir: string) => T | undefined,
): Decoder<T> {
  return {
    wanted,
    decode: (value, baseDir) =>
      typeof value === "string" ? read(value, baseDir) : undefined,
  };
}

/** What `parse` returns; `undefined` when it refuses its text. */
function unlessRefused<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** Texts by name, as a map or as `name=value` with commas between. */
function namedTexts(
  wanted: string,
  isValid: (name: string, value: string) => boolean,
): Decoder<Readonly<Record<string, string>>> {
  return {
    wanted,
    decode: (value, baseDir) => {
      const map = typeof value === "string"
        ? pairsOf(value)
        : mapOf(text).decode(value, baseDir);
      return map !== undefined &&
          Object.entries(map).every(([name, each]) => isValid(name, each))
        ? map
        : undefined;
    },
  };
}

/** The amount in billionths; less than nothing when it is none. */
function nanoOf(amount: string): bigint {
  return unlessRefused(() => parseQuantity(amount).nano) ?? -1n;
}

/** The values by their names; what has no name is under the empty one, which is none. */
function pairsOf(value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    splitCommas(value).map((part) => {
      const at = Math.max(part.indexOf("="), 0);
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    }),
  );
}

function isLabelKey(key: string): boolean {
  const slash = key.lastIndexOf("/");
  const name = key.slice(slash + 1);
  return name !== "" && isLabelValue(name) &&
    (slash < 0 || nodeName.decode(key.slice(0, slash), "/") !== undefined);
}

function isLabelValue(value: string): boolean {
  return /^(?:[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/.test(value);
}

function splitCommas(value: string): string[] {
  return value.split(",").map((part) => part.trim())
    .filter((part) => part !== "");
}
