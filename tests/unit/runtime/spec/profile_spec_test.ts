/**
 * Tests of the choice of seccomp and AppArmor profiles.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { SecurityProfile } from "../../../../mod/cri/config/mod.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import {
  security,
  type SecuritySetting,
  SPEC_NODE,
} from "../../../support/runtime/spec_inputs.ts";

const SECCOMP: readonly {
  readonly title: string;
  readonly setting: SecuritySetting;
  readonly expected: SecurityProfile;
}[] = [
  { title: "nothing said", setting: {}, expected: { kind: "unconfined" } },
  {
    title: "nothing said and the runtime's profile as default",
    setting: { fields: { node: { ...SPEC_NODE, seccompDefault: true } } },
    expected: { kind: "runtime_default" },
  },
  {
    title: "the pod's profile",
    setting: { ofPod: { seccompProfile: { type: "RuntimeDefault" } } },
    expected: { kind: "runtime_default" },
  },
  {
    title: "the container's profile above the pod's",
    setting: {
      ofPod: { seccompProfile: { type: "RuntimeDefault" } },
      own: { seccompProfile: { type: "Unconfined" } },
    },
    expected: { kind: "unconfined" },
  },
  {
    title: "a local profile",
    setting: {
      own: {
        seccompProfile: { type: "Localhost", localhostProfile: "a/b.json" },
      },
    },
    expected: { kind: "localhost", localhostRef: "/state/seccomp/a/b.json" },
  },
];

for (const { title, setting, expected } of SECCOMP) {
  Deno.test(`containerSecurity() chooses the seccomp profile with ${title}`, () => {
    deepStrictEqual(security(setting).seccomp, expected);
  });
}

for (const localhostProfile of ["", "/etc/passwd", "../x", "a/../../x"]) {
  Deno.test(`containerSecurity() refuses the local seccomp profile "${localhostProfile}"`, () => {
    const seccompProfile = { type: "Localhost", localhostProfile };
    throws(() => security({ own: { seccompProfile } }), SpecRefusal);
  });
}

const LINKS: readonly {
  readonly title: string;
  readonly path: string | undefined;
  readonly refused: boolean;
}[] = [
  {
    title: "stays below the root",
    path: "/real/seccomp/b.json",
    refused: false,
  },
  { title: "is not there", path: undefined, refused: false },
  { title: "leaves the root", path: "/etc/shadow", refused: true },
  { title: "leads to a sibling", path: "/real/seccomp2/b.json", refused: true },
  { title: "leads to the root itself", path: "/real/seccomp", refused: true },
];

for (const { title, path, refused } of LINKS) {
  Deno.test(
    `containerSecurity() ${
      refused ? "refuses" : "takes"
    } a local seccomp profile whose path ${title} (SE-03)`,
    () => {
      const realPath = (asked: string) =>
        asked === "/state/seccomp" ? "/real/seccomp" : path;
      const seccompProfile = { type: "Localhost", localhostProfile: "a.json" };
      const build = () =>
        security({
          own: { seccompProfile },
          fields: { node: { ...SPEC_NODE, realPath } },
        });
      if (refused) throws(build, SpecRefusal);
      else strictEqual(build().seccomp?.kind, "localhost");
    },
  );
}

for (const profile of ["seccompProfile", "appArmorProfile"] as const) {
  Deno.test(`containerSecurity() refuses a type of ${profile} that it does not know (SE-03)`, () => {
    throws(
      () => security({ own: { [profile]: { type: "Soft" } } }),
      SpecRefusal,
    );
    throws(() => security({ ofPod: { [profile]: { type: "" } } }), SpecRefusal);
  });
}

Deno.test("containerSecurity() refuses a local AppArmor profile without a name (SE-03)", () => {
  const appArmorProfile = { type: "Localhost", localhostProfile: "" };
  throws(() => security({ own: { appArmorProfile } }), SpecRefusal);
});

const APPARMOR_KEY = "container.apparmor.security.beta.kubernetes.io/c";
const APPARMOR: readonly {
  readonly title: string;
  readonly setting: SecuritySetting;
  readonly expected: SecurityProfile | undefined;
}[] = [
  { title: "nothing said", setting: {}, expected: undefined },
  {
    title: "the pod's profile",
    setting: { ofPod: { appArmorProfile: { type: "RuntimeDefault" } } },
    expected: { kind: "runtime_default" },
  },
  {
    title: "the annotation above the pod's profile",
    setting: {
      ofPod: { appArmorProfile: { type: "RuntimeDefault" } },
      annotations: { [APPARMOR_KEY]: "localhost/strict" },
    },
    expected: { kind: "localhost", localhostRef: "strict" },
  },
  {
    title: "the container's profile above the annotation",
    setting: {
      own: {
        appArmorProfile: { type: "Localhost", localhostProfile: "mine" },
      },
      annotations: { [APPARMOR_KEY]: "unconfined" },
    },
    expected: { kind: "localhost", localhostRef: "mine" },
  },
  {
    title: "another container's annotation",
    setting: { annotations: { [`${APPARMOR_KEY}x`]: "unconfined" } },
    expected: undefined,
  },
];

for (const { title, setting, expected } of APPARMOR) {
  Deno.test(`containerSecurity() chooses the AppArmor profile with ${title}`, () => {
    deepStrictEqual(security(setting).appArmor, expected);
  });
}

Deno.test("containerSecurity() refuses an AppArmor annotation it cannot read", () => {
  throws(
    () => security({ annotations: { [APPARMOR_KEY]: "soft" } }),
    SpecRefusal,
  );
});
