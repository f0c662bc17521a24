/**
 * Which images a login is for.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  globMatches,
  matchesRegistry,
  parseRegistryPattern,
} from "../../../../mod/runtime/credentials/registry_pattern.ts";

const KEYS: readonly (readonly [string, string | undefined])[] = [
  ["registry.example", "registry.example"],
  ["registry.example/", "registry.example"],
  ["https://registry.example", "registry.example"],
  ["http://registry.example:5000/team", "registry.example:5000/team"],
  ["https://index.docker.io/v1/", "index.docker.io"],
  ["https://registry.example/v2/team/", "registry.example/team/"],
  ["registry.example/v1", "registry.example/v1"],
  ["registry.example/v3/team", "registry.example/v3/team"],
  ["me:secret@registry.example/x", "registry.example/x"],
  ["registry.example/x?y=z", "registry.example/x"],
  ["registry.example/x#y", "registry.example/x"],
  ["[::1]:5000/x", "[::1]:5000/x"],
  ["localhost:5000", "localhost:5000"],
  ["ftp://registry.example", undefined],
  ["registry.example:http", undefined],
  ["", undefined],
  ["/x", undefined],
  [":5000", undefined],
  ["https://", undefined],
  [`${"x".repeat(1024)}`, "x".repeat(1024)],
  [`${"x".repeat(1025)}`, undefined],
];

for (const [location, key] of KEYS) {
  Deno.test(`parseRegistryPattern() of ${JSON.stringify(location.slice(0, 40))} is ${JSON.stringify(key?.slice(0, 40))}`, () => {
    strictEqual(parseRegistryPattern(location)?.key, key);
  });
}

const MATCHES: readonly (readonly [string, string, boolean])[] = [
  ["registry.example", "registry.example/team/app", true],
  ["registry.example", "other.example/team/app", false],
  ["registry.example", "sub.registry.example/app", false],
  ["registry.example", "registry.example:5000/app", false],
  ["registry.example:5000", "registry.example/app", false],
  ["registry.example:5000", "registry.example:5000/app", true],
  ["*.example", "registry.example/app", true],
  ["*.example", "a.registry.example/app", false],
  ["*.*.example", "a.registry.example/app", true],
  ["*", "localhost/app", true],
  ["*", "registry.example/app", false],
  ["reg*.example", "registry.example/app", true],
  ["*:5000", "localhost:5000/app", true],
  ["registry.example/team", "registry.example/team/app", true],
  ["registry.example/team", "registry.example/other/app", false],
  // As upstream: a plain beginning, not whole segments.
  ["registry.example/team", "registry.example/teams/app", true],
  ["registry.example/team/", "registry.example/teams/app", false],
  ["registry.example/*", "registry.example/app", false],
  ["Registry.example", "registry.example/app", false],
  ["[::1]:5000", "[::1]:5000/app", true],
  ["[::1]", "[::1]:5000/app", false],
  ["[::1]:5000", "[::2]:5000/app", false],
  ["[:1]", "1/app", false],
  ["docker.io", "docker.io/library/busybox", true],
  ["index.docker.io", "docker.io/library/busybox", false],
  ["registry.example", "registry.example", false],
];

for (const [location, repository, isMatch] of MATCHES) {
  Deno.test(`matchesRegistry() says ${isMatch} of "${location}" and "${repository}"`, () => {
    const pattern = parseRegistryPattern(location);
    ok(pattern);
    strictEqual(matchesRegistry(pattern, repository), isMatch);
  });
}

const GLOBS: readonly (readonly [string, string, boolean])[] = [
  ["", "", true],
  ["", "a", false],
  ["a", "", false],
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["*", "", true],
  ["*", "anything", true],
  ["a*", "a", true],
  ["*a", "bcda", true],
  ["*a", "bcdab", false],
  ["a*b*c", "axxbyyc", true],
  ["a*b*c", "axxbyy", false],
  ["*ab", "aab", true],
  ["**", "x", true],
  ["?", "a", true],
  ["?", "", false],
  ["?", "ab", false],
  ["[ab]c", "bc", true],
  ["[ab]c", "cc", false],
  ["[a-c]", "b", true],
  ["[a-c]", "d", false],
  ["[^a-c]", "d", true],
  ["[^a-c]", "b", false],
  ["[^a-c]", "^", true],
  ["[^a-c]", "[", true],
  ["[a-cx]", "x", true],
  ["[\\]]", "]", true],
  ["[\\-z]", "-", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["a\\", "a", false],
  ["[", "[", false],
  ["[]", "]", false],
  ["[a", "a", false],
  ["[a-", "a", false],
  ["[a-]", "a", false],
  ["[-a]", "a", false],
  ["[]a]", "]", false],
];

for (const [glob, text, isMatch] of GLOBS) {
  Deno.test(`globMatches() says ${isMatch} of ${JSON.stringify(glob)} and ${JSON.stringify(text)}`, () => {
    strictEqual(globMatches(glob, text), isMatch);
  });
}

Deno.test("globMatches() is soon done with a glob of many stars", () => {
  const glob = "*a".repeat(500);
  strictEqual(globMatches(glob, "a".repeat(499)), false);
  strictEqual(globMatches(glob, "a".repeat(500)), true);
});

Deno.test("parseRegistryPattern() splits a host at its dots", () => {
  deepStrictEqual(parseRegistryPattern("a.b:1/c"), {
    key: "a.b:1/c",
    labels: ["a", "b"],
    port: "1",
    path: "/c",
  });
});

Deno.test("parseRegistryPattern() takes an address in brackets as one label, and its port", () => {
  deepStrictEqual(parseRegistryPattern("[::1]:5000/c"), {
    key: "[::1]:5000/c",
    labels: ["\\[::1]"],
    port: "5000",
    path: "/c",
  });
});
