/**
 * Tests of the security settings of sandboxes and containers.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  strictEqual,
  throws,
} from "node:assert/strict";
import type { ContainerSpec, Pod, PodSpec } from "../../../mod/api/mod.ts";
import type {
  ContainerSecurityContext,
  NamespaceOptions,
  SecurityProfile,
} from "../../../mod/cri/mod.ts";
import {
  containerSecurity,
  namespaceOptions,
  sandboxSecurity,
} from "../../../mod/runtime/security_spec.ts";
import type { ContainerSpecInput } from "../../../mod/runtime/spec_input.ts";
import { SpecRefusal } from "../../../mod/runtime/spec_refusal.ts";
import { container, containerInput, NODE, pod } from "./fixtures.ts";

type PodSecurity = NonNullable<PodSpec["securityContext"]>;
type OwnSecurity = NonNullable<ContainerSpec["securityContext"]>;

interface Setting {
  readonly ofPod?: PodSecurity;
  readonly own?: OwnSecurity;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly fields?: Partial<ContainerSpecInput>;
}

function security(setting: Setting): ContainerSecurityContext {
  const { ofPod = {}, own = {}, annotations = {}, fields } = setting;
  const only = container({ securityContext: own });
  const of: Pod = pod({ containers: [only], securityContext: ofPod }, {
    annotations,
  });
  return containerSecurity(
    containerInput({ pod: of, container: only, ...fields }),
  );
}

const NAMESPACES: readonly {
  readonly title: string;
  readonly spec: Partial<PodSpec>;
  readonly target?: string;
  readonly expected: NamespaceOptions;
}[] = [
  {
    title: "its own network and one process namespace a container",
    spec: {},
    expected: {
      network: "pod",
      ipc: "pod",
      pid: "container",
      userns: { mode: "node" },
    },
  },
  {
    title: "the node's namespaces",
    spec: { hostNetwork: true, hostPID: true, hostIPC: true },
    expected: {
      network: "node",
      ipc: "node",
      pid: "node",
      userns: { mode: "node" },
    },
  },
  {
    title: "a shared process namespace",
    spec: { shareProcessNamespace: true },
    target: "ignored",
    expected: {
      network: "pod",
      ipc: "pod",
      pid: "pod",
      userns: { mode: "node" },
    },
  },
  {
    title: "the processes of a target container",
    spec: {},
    target: "c-1",
    expected: {
      network: "pod",
      ipc: "pod",
      pid: "target",
      targetId: "c-1",
      userns: { mode: "node" },
    },
  },
];

for (const { title, spec, target, expected } of NAMESPACES) {
  Deno.test(`namespaceOptions() gives a pod ${title}`, () => {
    deepStrictEqual(namespaceOptions(pod(spec), target), expected);
  });
}

Deno.test("namespaceOptions() refuses a user namespace", () => {
  throws(() => namespaceOptions(pod({ hostUsers: false })), SpecRefusal);
});

Deno.test("sandboxSecurity() takes users and groups from the pod and always the runtime's seccomp profile", () => {
  const of = pod({
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 2000,
      fsGroup: 3000,
      supplementalGroups: [4000, 5000],
      supplementalGroupsPolicy: "Strict",
      seLinuxOptions: { level: "s0" },
      seccompProfile: { type: "Unconfined" },
    },
  });
  deepStrictEqual(sandboxSecurity(of), {
    namespaceOptions: namespaceOptions(of),
    runAsUser: 1000n,
    runAsGroup: 2000n,
    seLinuxOptions: { level: "s0" },
    supplementalGroups: [3000n, 4000n, 5000n],
    supplementalGroupsPolicy: "strict",
    seccomp: { kind: "runtime_default" },
  });
});

for (const list of ["containers", "initContainers"] as const) {
  Deno.test(`sandboxSecurity() is privileged as soon as one of ${list} is`, () => {
    const privileged = container({ securityContext: { privileged: true } });
    const of = pod({ [list]: [container(), privileged] });
    strictEqual(sandboxSecurity(of).privileged, true);
    strictEqual(sandboxSecurity(pod()).privileged, undefined);
  });
}

const IMAGE_USERS: readonly {
  readonly title: string;
  readonly imageUser: ContainerSpecInput["imageUser"];
  readonly setting?: Setting;
  readonly expected: Partial<ContainerSecurityContext>;
}[] = [
  {
    title: "root when nobody says anything",
    imageUser: { uid: undefined, username: "" },
    expected: { runAsUser: 0n },
  },
  {
    title: "the image's number",
    imageUser: { uid: 65532n, username: "" },
    expected: { runAsUser: 65532n },
  },
  {
    title: "the image's name",
    imageUser: { uid: undefined, username: "nobody" },
    expected: { runAsUsername: "nobody" },
  },
  {
    title: "the pod's user before the image's",
    imageUser: { uid: 7n, username: "" },
    setting: { ofPod: { runAsUser: 1000, runAsGroup: 1001 } },
    expected: { runAsUser: 1000n, runAsGroup: 1001n },
  },
  {
    title: "the container's user before the pod's",
    imageUser: { uid: undefined, username: "nobody" },
    setting: { ofPod: { runAsUser: 1000 }, own: { runAsUser: 1001 } },
    expected: { runAsUser: 1001n },
  },
];

for (const { title, imageUser, setting, expected } of IMAGE_USERS) {
  Deno.test(`containerSecurity() runs as ${title}`, () => {
    const { runAsUser, runAsGroup, runAsUsername } = security({
      ...setting,
      fields: { imageUser },
    });
    deepStrictEqual({ runAsUser, runAsGroup, runAsUsername }, {
      runAsUser: undefined,
      runAsGroup: undefined,
      runAsUsername: undefined,
      ...expected,
    });
  });
}

const NON_ROOT: readonly {
  readonly title: string;
  readonly imageUser: ContainerSpecInput["imageUser"];
  readonly runAsUser?: number;
  readonly refusal?: RegExp;
}[] = [
  {
    title: "an image without a user",
    imageUser: { uid: undefined, username: "" },
    refusal: /the image runs as root/,
  },
  {
    title: "an image with user 0",
    imageUser: { uid: 0n, username: "" },
    refusal: /the image runs as root/,
  },
  {
    title: "an image with a named user",
    imageUser: { uid: undefined, username: "app" },
    refusal: /name "app"/,
  },
  { title: "an image with user 7", imageUser: { uid: 7n, username: "" } },
  {
    title: "user 0 asked for",
    imageUser: { uid: 7n, username: "" },
    runAsUser: 0,
    refusal: /"runAsUser" is "0"/,
  },
  {
    title: "user 7 asked for on an image of root",
    imageUser: { uid: 0n, username: "" },
    runAsUser: 7,
  },
];

for (const { title, imageUser, runAsUser, refusal } of NON_ROOT) {
  for (const place of ["ofPod", "own"] as const) {
    Deno.test(`containerSecurity() judges runAsNonRoot in ${place} with ${title}`, () => {
      const build = () =>
        security({
          [place]: {
            runAsNonRoot: true,
            ...(runAsUser === undefined ? {} : { runAsUser }),
          },
          fields: { imageUser },
        });
      if (refusal === undefined) {
        ok(build());
        return;
      }
      throws(build, (error) => {
        ok(error instanceof SpecRefusal);
        match(error.message, refusal);
        return true;
      });
    });
  }
}

Deno.test("containerSecurity() lets a container take back the pod's runAsNonRoot", () => {
  ok(security({
    ofPod: { runAsNonRoot: true },
    own: { runAsNonRoot: false },
  }));
});

Deno.test("containerSecurity() copies capabilities, privileges and the root file system's mode", () => {
  const { capabilities, privileged, noNewPrivs, readonlyRootfs } = security({
    own: {
      capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
      privileged: true,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    },
  });
  deepStrictEqual({ capabilities, privileged, noNewPrivs, readonlyRootfs }, {
    capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
    privileged: true,
    noNewPrivs: true,
    readonlyRootfs: true,
  });
});

Deno.test("containerSecurity() leaves out what nobody asked for", () => {
  deepStrictEqual(
    Object.keys(security({})).sort(),
    [
      "maskedPaths",
      "namespaceOptions",
      "readonlyPaths",
      "runAsUser",
      "seccomp",
    ],
  );
});

Deno.test("containerSecurity() hides nothing of /proc with procMount Unmasked", () => {
  const { maskedPaths, readonlyPaths } = security({
    own: { procMount: "Unmasked" },
  });
  deepStrictEqual({ maskedPaths, readonlyPaths }, {
    maskedPaths: [],
    readonlyPaths: [],
  });
});

const SECCOMP: readonly {
  readonly title: string;
  readonly setting: Setting;
  readonly expected: SecurityProfile;
}[] = [
  { title: "nothing said", setting: {}, expected: { kind: "unconfined" } },
  {
    title: "nothing said and the runtime's profile as default",
    setting: { fields: { node: { ...NODE, seccompDefault: true } } },
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

const APPARMOR_KEY = "container.apparmor.security.beta.kubernetes.io/c";
const APPARMOR: readonly {
  readonly title: string;
  readonly setting: Setting;
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
