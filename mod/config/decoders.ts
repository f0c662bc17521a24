/**
 * Decoders of single settings, shared by the config file and the flags.
 *
 * @module
 */

import { posix } from "node:path";
import { parseQuantity } from "../api/objects/mod.ts";
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
export const text: Decoder<string> = {
  wanted: "a text",
  decode: (value) => typeof value === "string" ? value : undefined,
};

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
  const bounded = min !== Number.MIN_SAFE_INTEGER;
  return {
    wanted: !bounded
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

/** A duration in Go's syntax, as milliseconds. */
export const durationMs: Decoder<number> = {
  wanted: 'a duration such as "20s" or "1m30s"',
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    try {
      const ms = parseDuration(value);
      return ms >= 0 ? ms : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  },
};

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
export const path: Decoder<string> = {
  wanted: "a path without NUL bytes",
  decode: (value, baseDir) => {
    if (typeof value !== "string" || value.includes("\0")) return undefined;
    return value === "" ? "" : absolutePath(value, baseDir);
  },
};

/** A path that is not empty, made absolute and normal. */
export const givenPath: Decoder<string> = {
  wanted: "a path",
  decode: (value, baseDir) => path.decode(value, baseDir) || undefined,
};

/** The path of a unix socket, written as `unix:///run/x.sock` or bare. */
export const endpoint: Decoder<string> = {
  wanted: 'a unix socket such as "unix:///run/containerd/containerd.sock"',
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const bare = value.replace(/^unix:(?:\/\/)?(?=\/)/, "");
    if (value === "") return "";
    return bare.startsWith("/") && !bare.includes("\0")
      ? posix.normalize(bare)
      : undefined;
  },
};

/** An IP address of either family. */
export const ipAddress: Decoder<string> = {
  wanted: "an IP address",
  decode: (value) =>
    typeof value === "string" && isIp(value) ? value : undefined,
};

/** One IP address, or one of each family after a comma. */
export const ipAddresses: Decoder<readonly string[]> = {
  wanted: "an IP address, or one of each family with a comma between",
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const parts = splitCommas(value);
    return parts.every(isIp) && parts.length <= 2 ? parts : undefined;
  },
};

/** One network of pods. */
export const podNetwork: Decoder<string> = {
  wanted: 'a network such as "10.88.0.0/16", but not one of every address',
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const [address, length] = value.trim().split("/");
    const bits = length && parseCidr(value.trim())?.bits;
    // A network of every address would be an unscoped grant.
    return bits ? `${address}/${bits}` : undefined;
  },
};

/** Networks with commas between, such as a dual-stack `podCIDR`. */
export const podNetworks: Decoder<readonly string[]> = {
  wanted: podNetwork.wanted,
  decode: (value, baseDir) =>
    typeof value === "string"
      ? listOf(podNetwork).decode(splitCommas(value), baseDir)
      : undefined,
};

/** A pod or node name as Kubernetes wants it: a DNS subdomain. */
export const nodeName: Decoder<string> = {
  wanted:
    "a DNS name of at most 253 lower-case letters, digits, hyphens and dots",
  decode: (value) => {
    if (typeof value !== "string") return undefined;
    const name = value.trim().toLowerCase();
    return name.length <= 253 &&
        /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
          .test(name)
      ? name
      : undefined;
  },
};

/** One of a closed set of words. */
export function choice<Word extends string>(
  words: readonly Word[],
): Decoder<Word> {
  return {
    wanted: `one of ${words.map((word) => `"${word}"`).join(", ")}`,
    decode: (value) => words.find((word) => word === value),
  };
}

/** The empty text, which stands for "not set", or what `decoder` takes. */
export function orEmpty(decoder: Decoder<string>): Decoder<string> {
  return {
    wanted: decoder.wanted,
    decode: (value, baseDir) =>
      value === "" ? "" : decoder.decode(value, baseDir),
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
      const entries: [string, T][] = [];
      for (const [key, each] of Object.entries(value)) {
        const decoded = item.decode(each, baseDir);
        if (decoded === undefined) return undefined;
        entries.push([key, decoded]);
      }
      return Object.fromEntries(entries);
    },
  };
}

/** A map of anything, for fields whose inside is not looked at. */
export const anyMap: Decoder<Readonly<Record<string, unknown>>> = {
  wanted: "a map",
  decode: (value) => isRecord(value) ? value : undefined,
};

/** Labels of the node: qualified names with short values. */
export const labels: Decoder<Readonly<Record<string, string>>> = {
  wanted: "labels such as zone=a,disk=ssd",
  decode: (value, baseDir) => {
    const map = typeof value === "string"
      ? labelsFromText(value)
      : mapOf(text).decode(value, baseDir);
    if (map === undefined) return undefined;
    return Object.entries(map).every(([key, each]) =>
        isLabelKey(key) && isLabelValue(each)
      )
      ? map
      : undefined;
  },
};

const RESERVABLE = ["cpu", "memory", "ephemeral-storage"];

/** Amounts that are kept from pods, by resource name. */
export const reserved: Decoder<Readonly<Record<string, string>>> = {
  wanted: "amounts of cpu, memory or ephemeral-storage, such as cpu=500m",
  decode: (value, baseDir) => {
    const map = typeof value === "string"
      ? labelsFromText(value)
      : mapOf(text).decode(value, baseDir);
    return map !== undefined &&
        Object.entries(map).every(([name, amount]) =>
          RESERVABLE.includes(name) && nanoOf(amount) >= 0n
        )
      ? map
      : undefined;
  },
};

/** The size of one huge page, a quantity such as `2Mi`. */
export const hugePageSize: Decoder<string> = {
  wanted: 'the size of a huge page such as "2Mi" or "1Gi"',
  decode: (value) =>
    typeof value === "string" && /i$/.test(value) && nanoOf(value) > 0n
      ? value
      : undefined,
};

/** The name of a sysctl, or of all that start alike; one that reaches the node is none. */
export const sysctlPattern: Decoder<string> = {
  wanted:
    'the name of a sysctl that pods have of their own, such as "net.core.somaxconn" or "kernel.msg*"',
  decode: (value) =>
    typeof value === "string" && value.length <= 253 &&
      /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*(?:[./]?\*)?$/
        .test(value) &&
      sysctlPatternProblem(value) === undefined
      ? value
      : undefined,
};

/** What stands between commas, each decoded alike. */
export function commaList<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return {
    wanted: `${item.wanted}; several with commas between`,
    decode: (value, baseDir) => {
      if (typeof value !== "string") return undefined;
      const parts = splitCommas(value);
      return parts.length === 0
        ? undefined
        : listOf(item).decode(parts, baseDir);
    },
  };
}

/** The amount in billionths; less than nothing when it is none. */
function nanoOf(amount: string): bigint {
  try {
    return parseQuantity(amount).nano;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return -1n;
    throw error;
  }
}

function labelsFromText(
  value: string,
): Readonly<Record<string, string>> | undefined {
  const entries: [string, string][] = [];
  for (const part of splitCommas(value)) {
    const at = part.indexOf("=");
    if (at < 1) return undefined;
    entries.push([part.slice(0, at).trim(), part.slice(at + 1).trim()]);
  }
  return Object.fromEntries(entries);
}

function isLabelKey(key: string): boolean {
  const slash = key.lastIndexOf("/");
  const name = key.slice(slash + 1);
  return /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(name) &&
    (slash < 0 || nodeName.decode(key.slice(0, slash), "/") !== undefined);
}

function isLabelValue(value: string): boolean {
  return /^(?:[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/.test(value);
}

/** Whether `value` is a map in a decoded document. */
export function isRecord(
  value: unknown,
): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Resolves `path` against `baseDir` and takes away what is superfluous. */
export function absolutePath(path: string, baseDir: string): string {
  return posix.resolve(baseDir, path);
}

function splitCommas(value: string): string[] {
  return value.split(",").map((part) => part.trim()).filter((part) =>
    part !== ""
  );
}
