/**
 * Whether a pod may have an image that is there.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type GrantedSecret,
  grantingSecret,
  type ImageGrant,
  type VerificationPolicy,
  wantsVerification,
  withGrant,
} from "../../../../mod/runtime/images/image_access.ts";

const A: GrantedSecret = { namespace: "shop", name: "a", hash: "1" };
const B: GrantedSecret = { namespace: "shop", name: "b", hash: "2" };
const OPEN: ImageGrant = { isOpen: true, secrets: [] };

function granted(...secrets: readonly GrantedSecret[]): ImageGrant {
  return { isOpen: false, secrets };
}

const POLICIES: readonly (readonly [
  VerificationPolicy,
  { readonly pulled: boolean; readonly preloaded: boolean },
])[] = [
  ["NeverVerify", { pulled: false, preloaded: false }],
  ["NeverVerifyPreloadedImages", { pulled: true, preloaded: false }],
  ["NeverVerifyAllowlistedImages", { pulled: true, preloaded: true }],
  ["AlwaysVerify", { pulled: true, preloaded: true }],
];

for (const [policy, wanted] of POLICIES) {
  Deno.test(`wantsVerification() under ${policy}: ${JSON.stringify(wanted)}`, () => {
    const ask = (isPulled: boolean) =>
      wantsVerification({ policy, allowlist: [] }, {
        repository: "r.example/x",
        isPulled,
      });
    deepStrictEqual({ pulled: ask(true), preloaded: ask(false) }, wanted);
  });
}

const LISTED: readonly (readonly [string, string, boolean])[] = [
  ["r.example/team/app", "r.example/team/app", true],
  ["r.example/team/app", "r.example/team/app2", false],
  ["r.example/team/app", "r.example/team", false],
  ["r.example/team/*", "r.example/team/app", true],
  ["r.example/team/*", "r.example/team/a/b", true],
  ["r.example/team/*", "r.example/teams/app", false],
  ["r.example/*", "r.example/x", true],
  ["r.example/*", "r.example:5000/x", false],
];

for (const [pattern, repository, isListed] of LISTED) {
  Deno.test(`wantsVerification() with "${pattern}" leaves out "${repository}": ${isListed}`, () => {
    const rules = {
      policy: "NeverVerifyAllowlistedImages",
      allowlist: ["other.example/x", pattern],
    } as const;
    strictEqual(
      wantsVerification(rules, { repository, isPulled: true }),
      !isListed,
    );
  });
}

const SHOWN: readonly (readonly [
  string,
  readonly GrantedSecret[],
  GrantedSecret | undefined,
])[] = [
  ["nothing", [], undefined],
  ["the very Secret", [A], A],
  ["the Secret with another login", [{ ...A, hash: "9" }], { ...A, hash: "9" }],
  ["the login in another Secret", [{ ...B, hash: "1" }], { ...B, hash: "1" }],
  ["another Secret", [B], undefined],
  ["the Secret's name in another namespace", [
    { ...A, namespace: "x", hash: "9" },
  ], undefined],
  ["another Secret and the right one", [B, A], A],
];

for (const [what, shown, wanted] of SHOWN) {
  Deno.test(`grantingSecret() when a pod shows ${what}: ${wanted !== undefined}`, () => {
    deepStrictEqual(grantingSecret(granted(A), shown), wanted);
  });
}

Deno.test("withGrant() adds a Secret, replaces its login, and opens for all", () => {
  const one = withGrant(undefined, A);
  deepStrictEqual(one, granted(A));
  strictEqual(withGrant(one, { ...A }), one);
  const two = withGrant(one, B);
  deepStrictEqual(two, granted(A, B));
  const changed = { ...A, hash: "9" };
  deepStrictEqual(withGrant(two, changed), granted(B, changed));
  const open = withGrant(two, undefined);
  deepStrictEqual(open, OPEN);
  strictEqual(withGrant(open, A), open);
  strictEqual(withGrant(open, undefined), open);
  deepStrictEqual(withGrant(undefined, undefined), OPEN);
});

Deno.test("withGrant() keeps a hundred Secrets, the latest", () => {
  let grant: ImageGrant | undefined;
  for (let i = 0; i < 150; i++) {
    grant = withGrant(grant, { namespace: "n", name: `s${i}`, hash: `${i}` });
  }
  strictEqual(grant?.secrets.length, 100);
  strictEqual(grant.secrets[0]?.name, "s50");
  strictEqual(grant.secrets[99]?.name, "s149");
});
