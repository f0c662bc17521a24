/**
 * Brings a CRI message that a runtime keeps and one of a golden file into one form.
 *
 * @module
 */

/** A message as comparable data: every scalar is a text, defaults are left out. */
export type PlainMessage =
  | string
  | readonly PlainMessage[]
  | { readonly [field: string]: PlainMessage };

/** Fields that hold a map: empty, they are as good as absent, unlike a message. */
const MAPS: ReadonlySet<string> = new Set([
  "annotations",
  "labels",
  "sysctls",
  "unified",
]);

/** The names by which golden files spell the values of the CRI's enums. */
const ENUM_VALUES: ReadonlyMap<string, string> = new Map([
  ["CONTAINER", "1"],
  ["NODE", "2"],
  ["TARGET", "3"],
  ["UDP", "1"],
  ["SCTP", "2"],
  ["PROPAGATION_HOST_TO_CONTAINER", "1"],
  ["PROPAGATION_BIDIRECTIONAL", "2"],
  ["Strict", "1"],
]);

/** As above, for one field only: the words mean something else elsewhere. */
const PROFILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["Unconfined", "1"],
  ["Localhost", "2"],
]);

/** The comparable form of a message as containerd keeps it: with zeros left in, here and there. */
export function plainOfRecord(value: unknown): PlainMessage | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => plainOfRecord(item) ?? "");
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === "object" && value !== null) {
    const fields: Record<string, PlainMessage> = {};
    for (const [name, member] of Object.entries(value)) {
      const plain = MAPS.has(name) ? plainMap(member) : plainOfRecord(member);
      if (plain !== undefined) fields[name] = plain;
    }
    return fields;
  }
  const text = String(value ?? "");
  return text === "" || text === "0" || text === "false" ? undefined : text;
}

function plainMap(value: unknown): PlainMessage | undefined {
  const entries = Object.entries(value as Record<string, string>);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The comparable form of a recorded message. */
export function plainOfGolden(value: unknown, field = ""): PlainMessage {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => plainOfGolden(item, field));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        MAPS.has(name)
          ? member as PlainMessage
          : plainOfGolden(member, field === "envs" ? `env_${name}` : name),
      ]),
    );
  }
  const text = String(value);
  // The recorder wrote env values, which are bytes to it, in base64.
  if (field === "env_value") return atob(text);
  if (field === "env_key") return text;
  const named = field === "profile_type"
    ? PROFILE_TYPES.get(text)
    : ENUM_VALUES.get(text);
  return named ?? text;
}

/** Whether a path, or what it lies below, is meant by a pattern in which `*` stands for any index. */
export function matchesPath(pattern: string, path: string): boolean {
  const source = pattern.replaceAll(/[.[\]\\^$+?()|{}]/g, "\\$&")
    .replaceAll("*", "[^\\]]+");
  return new RegExp(`^${source}($|[.[])`).test(path);
}
