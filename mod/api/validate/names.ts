/**
 * The shapes of names in Kubernetes. Each function says what is wrong with a text,
 * or nothing when it is right.
 *
 * @module
 */

import { isIp } from "../../base/text/mod.ts";

/** What is wrong with a text, in words that end a message; `undefined` when nothing is. */
export type Problem = string | undefined;

/** The longest path: the kernel's PATH_MAX without the closing NUL. */
export const MAX_PATH = 4095;

const QUALIFIED = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

type ProblemOf = (text: string) => Problem;

/** What is wrong with a text that has not the shape, or is longer than `max`. */
function shapedAs(
  shape: RegExp,
  problem: string,
  max: number = Infinity,
): ProblemOf {
  return (text) => {
    if (text.length > max) return tooLong(max);
    return shape.test(text) ? undefined : problem;
  };
}

/** An RFC 1123 label: names of containers, volumes, namespaces, hosts. */
export const labelProblem: ProblemOf = shapedAs(
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  "must consist of lower case letters, digits and '-', and start and " +
    "end with a letter or digit (RFC 1123 label, such as 'my-name')",
  63,
);

/** An RFC 1123 subdomain: names of pods and most other objects. */
export const subdomainProblem: ProblemOf = shapedAs(
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  "must consist of lower case letters, digits, '-' and '.', and start " +
    "and end with a letter or digit (RFC 1123 subdomain, such as 'example.com')",
  253,
);

/** A key of labels and annotations: `name` or `prefix/name`. */
export function qualifiedNameProblem(key: string): Problem {
  const slash = key.indexOf("/");
  if (slash >= 0) {
    const prefix = key.slice(0, slash);
    if (prefix === "") return "the part before '/' must not be empty";
    const problem = subdomainProblem(prefix);
    if (problem !== undefined) return `the part before '/' ${problem}`;
  }
  const name = key.slice(slash + 1);
  if (name === "") return "the name must not be empty";
  if (name.length > 63) return `the name ${tooLong(63)}`;
  if (QUALIFIED.test(name)) return undefined;
  return "the name must consist of letters, digits, '-', '_' and '.', and start " +
    "and end with a letter or digit (such as 'MyName' or 'example.com/my.name')";
}

/** A value of a label; empty is right. */
export function labelValueProblem(value: string): Problem {
  if (value.length > 63) return tooLong(63);
  if (value === "" || QUALIFIED.test(value)) return undefined;
  return "must be empty or consist of letters, digits, '-', '_' and '.', and " +
    "start and end with a letter or digit";
}

/** A name of a port. */
export function portNameProblem(name: string): Problem {
  if (name.length > 15) return tooLong(15);
  if (!/^[-a-z0-9]+$/.test(name)) {
    return "must consist of lower case letters, digits and '-'";
  }
  if (!/[a-z]/.test(name)) return "must contain at least one letter";
  if (name.includes("--")) return "must not contain consecutive hyphens";
  return name.startsWith("-") || name.endsWith("-")
    ? "must not begin or end with a hyphen"
    : undefined;
}

/** A name of an environment variable: printable ASCII, upstream since 1.34. */
export const envNameProblem: ProblemOf = shapedAs(
  /^[ -<>-~]+$/,
  "must consist of printable ASCII characters other than '='",
);

/** A key in a ConfigMap or Secret, which can become the name of a file. */
export function mapKeyProblem(key: string): Problem {
  if (key.length > 253) return tooLong(253);
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    return "must consist of letters, digits, '-', '_' and '.'";
  }
  return key === "." || key.startsWith("..")
    ? "must not be '.' and not start with '..'"
    : undefined;
}

/** An IP address in its usual spelling. */
export function ipProblem(text: string): Problem {
  // Upstream still takes a leading zero in IPv4: 10.9.08.7.
  return isIp(text.replace(/\b0(?=\d\b)/g, ""))
    ? undefined
    : "must be a valid IP address, such as 10.9.8.7";
}

/** A name of an HTTP header. */
export const httpHeaderProblem: ProblemOf = shapedAs(
  /^[-A-Za-z0-9]+$/,
  "a header name must consist of letters, digits and '-'",
);

/** A port number. */
export function portProblem(port: number): Problem {
  return port >= 1 && port <= 65535
    ? undefined
    : "must be between 1 and 65535, inclusive";
}

/** A path below a directory: relative, without `..` as a component. */
export function localPathProblem(path: string): Problem {
  if (path.startsWith("/")) return "must be a relative path";
  return backstepProblem(path);
}

/** A path without `..` as a component and without NUL. */
export function backstepProblem(path: string): Problem {
  if (path.includes("\0")) return "must not contain NUL";
  if (path.length > MAX_PATH) return tooLong(MAX_PATH);
  return path.split("/").includes("..") ? "must not contain '..'" : undefined;
}

/** What is wrong with a text of more characters than so many. */
export function tooLong(limit: number): string {
  return `must be no more than ${limit} characters`;
}
