/**
 * Tests of the variables of Services, beside those that a container declares.
 *
 * @module
 */

import { deepStrictEqual, throws } from "node:assert/strict";
import type { ObjectId } from "../../../../mod/api/objects/mod.ts";
import type { ContainerSpec, EnvVar } from "../../../../mod/api/types/mod.ts";
import { containerEnvironment } from "../../../../mod/runtime/spec/environment.ts";
import type { ServiceTarget } from "../../../../mod/pod/inputs/mod.ts";
import { keyed, objectGetter } from "../../../support/keyed_objects.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import { container, pod, type PodDraft } from "../../../support/pods.ts";
import { target } from "../../../support/services.ts";

const SERVICES = [
  target({ ports: [] }),
  target({ name: "db", namespace: "back", ports: [] }),
];

interface LinkCase {
  readonly title: string;
  readonly fields?: Pick<ContainerSpec, "env" | "envFrom">;
  readonly draft?: PodDraft;
  /** @default {@linkcode SERVICES} */
  readonly services?: readonly ServiceTarget[];
  readonly expected: readonly string[];
}

const MASTER = target({
  name: "kubernetes",
  namespace: "default",
  address: "10.0.0.1",
  ports: [],
  isForAll: true,
});

const env = (...pairs: readonly (readonly [string, string])[]): EnvVar[] =>
  pairs.map(([name, value]) => ({ name, value }));

// Upstream: TestMakeEnvironmentVariables, as far as it is about services.
const CASES: readonly LinkCase[] = [
  {
    title: "sets those of the pod's namespace",
    expected: ["WEB_SERVICE_HOST=10.88.0.9"],
  },
  {
    title: "sets those of another namespace in a pod of it",
    draft: { namespace: "back" },
    expected: ["DB_SERVICE_HOST=10.88.0.9"],
  },
  {
    title: "sets none in a namespace without Services",
    draft: { namespace: "default" },
    expected: [],
  },
  {
    title: "sets those with enableServiceLinks",
    draft: { enableServiceLinks: true },
    expected: ["WEB_SERVICE_HOST=10.88.0.9"],
  },
  {
    title: "sets none without enableServiceLinks",
    draft: { enableServiceLinks: false },
    fields: { env: env(["A", "$(WEB_SERVICE_HOST)"]) },
    expected: ["A=$(WEB_SERVICE_HOST)"],
  },
  {
    title: "sets them behind what is declared",
    fields: { env: env(["Z", "1"]) },
    expected: ["Z=1", "WEB_SERVICE_HOST=10.88.0.9"],
  },
  {
    title: "lets a declared variable win",
    fields: { env: env(["WEB_SERVICE_HOST", "own"]) },
    expected: ["WEB_SERVICE_HOST=own"],
  },
  {
    title: "lets a declared variable without a value win",
    fields: {
      env: env(["WEB_SERVICE_HOST", ""], ["A", "<$(WEB_SERVICE_HOST)>"]),
    },
    expected: ["WEB_SERVICE_HOST=", "A=<>"],
  },
  {
    title: "lets a variable of envFrom win",
    fields: { envFrom: [{ configMapRef: { name: "links" } }] },
    expected: ["WEB_SERVICE_HOST=from"],
  },
  {
    title: "expands values with them",
    fields: { env: env(["URL", "http://$(WEB_SERVICE_HOST):80/"]) },
    expected: [
      "URL=http://10.88.0.9:80/",
      "WEB_SERVICE_HOST=10.88.0.9",
    ],
  },
  {
    title: "sets the API server's in each namespace",
    services: [...SERVICES, MASTER],
    expected: [
      "WEB_SERVICE_HOST=10.88.0.9",
      "KUBERNETES_SERVICE_HOST=10.0.0.1",
    ],
  },
  {
    title: "sets the API server's without enableServiceLinks",
    services: [...SERVICES, MASTER],
    draft: { enableServiceLinks: false },
    expected: ["KUBERNETES_SERVICE_HOST=10.0.0.1"],
  },
  {
    title: "lets a Service of the pod's namespace win over the API server's",
    services: [
      target({ name: "kubernetes", address: "10.0.0.9", ports: [] }),
      MASTER,
    ],
    expected: ["KUBERNETES_SERVICE_HOST=10.0.0.9"],
  },
  {
    title: "sets the API server's once in its own namespace",
    services: [MASTER],
    draft: { namespace: "default" },
    expected: ["KUBERNETES_SERVICE_HOST=10.0.0.1"],
  },
  {
    title: "expands values with one that is declared before",
    fields: {
      env: env(["WEB_SERVICE_HOST", "own"], ["A", "$(WEB_SERVICE_HOST)"]),
    },
    expected: ["WEB_SERVICE_HOST=own", "A=own"],
  },
];

for (
  const { title, fields = {}, draft = {}, services = SERVICES, expected }
    of CASES
) {
  Deno.test(`containerEnvironment() ${title}`, () => {
    const found = containerEnvironment({
      pod: pod(draft),
      container: container("c", fields),
      podIps: [],
      node: { ips: [], allocatable: new Map() },
      objects: objectGetter([
        keyed("ConfigMap", "links", { WEB_SERVICE_HOST: "from" }),
      ]),
      services,
    });
    const lines = Array.from(found, ([name, value]) => `${name}=${value}`);
    deepStrictEqual(lines, expected);
  });
}

const WITHHELD =
  "services have not yet been read at least once, cannot construct envvars: no such right";

for (
  const [what, name, services, isRefused] of [
    ["those of its namespace", "shop/", [MASTER], true],
    ["the API server's", "default/kubernetes", SERVICES, true],
    ["those of its namespace, but has known some", "shop/", SERVICES, false],
    [
      "the API server's, but has known it",
      "default/kubernetes",
      [MASTER],
      false,
    ],
    ["those of another namespace", "back/", [], false],
  ] as const
) {
  Deno.test(`(IN-11) a container whose node may not read ${what} ${isRefused ? "waits" : "starts"}`, () => {
    const input = {
      pod: pod(),
      container: container("c", {}),
      podIps: [],
      node: { ips: [], allocatable: new Map() },
      objects: {
        ...NO_OBJECTS,
        withheld: (id: ObjectId) =>
          `${id.namespace}/${id.name}` === name ? "no such right" : undefined,
      },
      services,
    };
    if (!isRefused) return void containerEnvironment(input);
    throws(() => containerEnvironment(input), {
      name: "SpecRefusal",
      message: WITHHELD,
    });
  });
}
