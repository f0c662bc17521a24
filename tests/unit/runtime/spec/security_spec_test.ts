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
import type { PodSpec } from "../../../../mod/api/types/mod.ts";
import type {
  ContainerSecurityContext,
  NamespaceOptions,
} from "../../../../mod/cri/config/mod.ts";
import {
  containerSecurity,
  namespaceOptions,
  sandboxSecurity,
  thermalThrottlePaths,
} from "../../../../mod/runtime/spec/security_spec.ts";
import type { ContainerSpecInput } from "../../../../mod/runtime/spec/spec_input.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { container, pod } from "../../../support/pods.ts";
import {
  containerInput,
  security,
  type SecuritySetting,
  SPEC_NODE,
} from "../../../support/runtime/spec_inputs.ts";

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
    deepStrictEqual(
      namespaceOptions(pod(spec), { ...SPEC_NODE, targetContainerId: target }),
      expected,
    );
  });
}

Deno.test("namespaceOptions() maps the pod's ids into its user namespace", () => {
  const mapping = { hostId: 131_072, containerId: 0, length: 65_536 };
  const idMapping = (uid: string) => uid === "u-1" ? mapping : undefined;
  const of = pod({ hostUsers: false });
  const { userns } = namespaceOptions(of, { idMapping });
  deepStrictEqual(userns, { mode: "pod", uids: [mapping], gids: [mapping] });
  deepStrictEqual(
    sandboxSecurity(of, { idMapping }).namespaceOptions?.userns,
    userns,
  );
  const input = containerInput({ pod: of, node: { ...SPEC_NODE, idMapping } });
  deepStrictEqual(containerSecurity(input).namespaceOptions?.userns, userns);
});

Deno.test("namespaceOptions() refuses a user namespace without ids", () => {
  throws(() => namespaceOptions(pod({ hostUsers: false }), SPEC_NODE), {
    name: "SpecRefusal",
    reason: "PodFeatureUnsupported",
  });
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
  deepStrictEqual(sandboxSecurity(of, SPEC_NODE), {
    namespaceOptions: namespaceOptions(of, SPEC_NODE),
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
    const privileged = container("c", {
      securityContext: { privileged: true },
    });
    const of = pod({ [list]: [container(), privileged] });
    strictEqual(sandboxSecurity(of, SPEC_NODE).privileged, true);
    strictEqual(sandboxSecurity(pod(), SPEC_NODE).privileged, undefined);
  });
}

const IMAGE_USERS: readonly {
  readonly title: string;
  readonly imageUser: ContainerSpecInput["imageUser"];
  readonly setting?: SecuritySetting;
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
    refusal: /^container has runAsNonRoot and image will run as root \(/,
  },
  {
    title: "an image with user 0",
    imageUser: { uid: 0n, username: "" },
    refusal: /^container has runAsNonRoot and image will run as root \(/,
  },
  {
    title: "an image with a named user",
    imageUser: { uid: undefined, username: "app" },
    refusal: /non-numeric user \(app\), cannot verify user is non-root/,
  },
  {
    title: "an image with a user that an old runtime takes for root",
    imageUser: { uid: 4_294_967_296n, username: "" },
    refusal: /image has user 4294967296, wanted 1 to 2147483647/,
  },
  {
    title: "an image with the first user that is too great",
    imageUser: { uid: 2_147_483_648n, username: "" },
    refusal: /image has user 2147483648, wanted 1 to 2147483647/,
  },
  {
    title: "an image with the greatest user",
    imageUser: { uid: 2_147_483_647n, username: "" },
  },
  {
    title: "an image with a user below 0",
    imageUser: { uid: -1n, username: "" },
    refusal: /image has user -1, wanted 1 to 2147483647/,
  },
  { title: "an image with user 7", imageUser: { uid: 7n, username: "" } },
  {
    title: "user 0 asked for",
    imageUser: { uid: 7n, username: "" },
    runAsUser: 0,
    refusal:
      /^container's runAsUser breaks non-root policy \(pod: "web_shop\(u-1\)", container: c\)$/,
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

for (const name of ["NET_RAW", "CAP_NET_RAW", "cap_NET_RAW"]) {
  Deno.test(`containerSecurity() names capability "${name}" as runtimes do`, () => {
    const { capabilities } = security({
      own: { capabilities: { drop: [name] } },
    });
    deepStrictEqual(capabilities, { add: [], drop: ["NET_RAW"] });
  });
}

Deno.test("containerSecurity() takes SELinux labels from the container, else from the pod", () => {
  const ofPod = { seLinuxOptions: { type: "pod_t", level: "s0" } };
  const own = { seLinuxOptions: { type: "own_t" } };
  deepStrictEqual(security({ ofPod }).seLinuxOptions, ofPod.seLinuxOptions);
  deepStrictEqual(security({ ofPod, own }).seLinuxOptions, own.seLinuxOptions);
});

Deno.test("containerSecurity() puts fsGroup before the supplemental groups and tells the policy", () => {
  const { supplementalGroups, supplementalGroupsPolicy } = security({
    ofPod: {
      fsGroup: 2000,
      supplementalGroups: [3000],
      supplementalGroupsPolicy: "Merge",
    },
  });
  deepStrictEqual(supplementalGroups, [2000n, 3000n]);
  strictEqual(supplementalGroupsPolicy, "merge");
});

Deno.test("containerSecurity() hides the processors' thermometers besides the usual", () => {
  const node = { ...SPEC_NODE, maskedPaths: thermalThrottlePaths(2) };
  const { maskedPaths = [] } = security({ fields: { node } });
  ok(maskedPaths.includes("/proc/kcore"));
  deepStrictEqual(maskedPaths.slice(-2), [
    "/sys/devices/system/cpu/cpu0/thermal_throttle",
    "/sys/devices/system/cpu/cpu1/thermal_throttle",
  ]);
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
