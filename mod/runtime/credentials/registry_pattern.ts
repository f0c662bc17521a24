/**
 * Which images a login of a docker configuration is for.
 *
 * @module
 */

/** The registry, or the part of one, that a login is for. */
export interface RegistryPattern {
  /** Host with port, and path: what logins are ordered by. */
  readonly key: string;
  /** One glob for each label of the host's name. */
  readonly labels: readonly string[];
  readonly port: string;
  /** Empty, or with a slash at its beginning. */
  readonly path: string;
}

/** Longer than any name of an image, and short enough for matching to cost nothing. */
const MAX_LOCATION_LENGTH = 1024;

/**
 * Reads a key of `auths`, such as `https://index.docker.io/v1/` or `*.example.com:5000/team`;
 * `undefined` for one that names no host.
 *
 * The scheme, a user, and a first `/v1` or `/v2` of the path do not count. (Upstream:
 * credentialprovider BasicDockerKeyring.Add.)
 */
export function parseRegistryPattern(
  location: string,
): RegistryPattern | undefined {
  if (location.length > MAX_LOCATION_LENGTH) return undefined;
  const address = location.replace(/^https?:\/\//, "");
  const [beforeQuery = ""] = address.split(/[?#]/, 1);
  const slash = beforeQuery.indexOf("/");
  const authority = slash < 0 ? beforeQuery : beforeQuery.slice(0, slash);
  const whole = slash < 0 ? "" : beforeQuery.slice(slash);
  const rest = /^\/v[12]\//.test(whole) ? whole.slice(3) : whole;
  const path = rest === "/" ? "" : rest;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const split = splitHost(host);
  if (split === undefined) return undefined;
  const { labels, port } = split;
  // The brackets of an address are no class.
  const globs = host.startsWith("[")
    ? labels.map((label) => label.replace("[", "\\["))
    : labels;
  return { key: `${host}${path}`, labels: globs, port, path };
}

/**
 * Whether a login is for an image: the same port, as many labels, each of which its glob
 * matches, and a path that begins with the pattern's. (Upstream: URLsMatch.)
 *
 * @param repository with its registry, such as `docker.io/library/busybox`
 */
export function matchesRegistry(
  pattern: RegistryPattern,
  repository: string,
): boolean {
  const slash = repository.indexOf("/");
  const split = splitHost(repository.slice(0, slash));
  if (slash < 0 || split === undefined) return false;
  return split.port === pattern.port &&
    split.labels.length === pattern.labels.length &&
    repository.slice(slash).startsWith(pattern.path) &&
    split.labels.every((label, at) =>
      globMatches(pattern.labels[at] ?? "", label)
    );
}

function splitHost(
  host: string,
): Pick<RegistryPattern, "labels" | "port"> | undefined {
  // Brackets at the beginning are those of an IPv6 address, which is one label.
  const end = host.startsWith("[") ? host.indexOf("]") + 1 : 0;
  const colon = host.indexOf(":", end);
  const name = colon < 0 ? host : host.slice(0, colon);
  const port = colon < 0 ? "" : host.slice(colon + 1);
  if (name === "" || colon >= 0 && !/^\d+$/.test(port)) return undefined;
  return { labels: end > 0 ? [name] : name.split("."), port };
}

type GlobToken =
  | { readonly kind: "any_run" }
  | { readonly kind: "one"; readonly fits: (char: string) => boolean };

/**
 * Whether a glob matches the whole of a text: `*` any run, `?` any character, `[a-z]` and
 * `[^a-z]` one of a class, `\` the character behind it. One that is malformed matches
 * nothing. Takes steps in proportion to the two lengths multiplied, at most. (Upstream:
 * filepath.Match.)
 */
export function globMatches(glob: string, text: string): boolean {
  const tokens = parseGlob(glob);
  if (tokens === undefined) return false;
  const chars = [...text];
  let token = 0;
  let at = 0;
  // Where to go on when what follows the last `*` does not match here.
  let back: { token: number; at: number } | undefined;
  while (at < chars.length) {
    const next = tokens[token];
    if (next?.kind === "any_run") {
      back = { token: ++token, at };
    } else if (next?.fits(chars[at] ?? "")) {
      token++;
      at++;
    } else if (back !== undefined) {
      back.at++;
      ({ token, at } = back);
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === "any_run");
}

function parseGlob(glob: string): readonly GlobToken[] | undefined {
  const chars = [...glob];
  const tokens: GlobToken[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    switch (char) {
      case "*":
        tokens.push({ kind: "any_run" });
        break;
      case "?":
        tokens.push({ kind: "one", fits: () => true });
        break;
      case "[": {
        const found = parseClass(chars, at + 1);
        if (found === undefined) return undefined;
        tokens.push({ kind: "one", fits: found.fits });
        at = found.end;
        break;
      }
      default: {
        if (char === "\\") at++;
        const wanted = chars[at];
        if (wanted === undefined) return undefined;
        tokens.push({ kind: "one", fits: (one) => one === wanted });
      }
    }
  }
  return tokens;
}

/** A class from behind its `[` to its `]`. */
function parseClass(
  chars: readonly string[],
  start: number,
): { readonly fits: (char: string) => boolean; end: number } | undefined {
  const isNegated = chars[start] === "^";
  let at = isNegated ? start + 1 : start;
  const take = (): string | undefined => {
    if (chars[at] === "\\") at++;
    else if (chars[at] === "-" || chars[at] === "]") return undefined;
    return chars[at++];
  };
  const ranges: { readonly low: string; readonly high: string }[] = [];
  while (chars[at] !== "]" || ranges.length === 0) {
    const low = take();
    if (low === undefined) return undefined;
    if (chars[at] === "-") at++;
    else {
      ranges.push({ low, high: low });
      continue;
    }
    const high = take();
    if (high === undefined) return undefined;
    ranges.push({ low, high });
  }
  const fits = (char: string): boolean =>
    isNegated !== ranges.some(({ low, high }) => low <= char && char <= high);
  return { fits, end: at };
}
