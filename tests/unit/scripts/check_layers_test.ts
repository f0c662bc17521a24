/**
 * The layer check on toy graphs.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  findLayerFaults,
  FLOORS,
  type GraphEdge,
  type GraphModule,
  type LayerFault,
  LIBRARIES,
} from "../../../scripts/check_layers.ts";

const ROOT = "file:///project/";

interface Import {
  readonly to: string;
  readonly kind?: "code" | "type" | "both";
  readonly line?: number;
}

function url(path: string): string {
  return /^(?:npm|node|https|jsr|file):/.test(path) ? path : ROOT + path;
}

function module(path: string, ...imports: readonly Import[]): GraphModule {
  return {
    specifier: url(path),
    dependencies: imports.map(({ to, kind = "code", line = 1 }) => {
      const edge: GraphEdge = {
        specifier: url(to),
        span: { start: { line: line - 1 } },
      };
      return {
        specifier: to,
        ...(kind === "type" ? {} : { code: edge }),
        ...(kind === "code" ? {} : { type: edge }),
      };
    }),
  };
}

function faultsOf(...modules: readonly GraphModule[]): LayerFault[] {
  return findLayerFaults(modules, {
    root: ROOT,
    floors: FLOORS,
    libraries: LIBRARIES,
  });
}

const ALLOWED: readonly (readonly [string, string, Import])[] = [
  ["a lower floor by its door", "mod/pod/plan/plan.ts", {
    to: "mod/api/mod.ts",
  }],
  ["the lowest floor", "mod/cli/run.ts", { to: "mod/base/mod.ts" }],
  ["its own room", "mod/pod/plan/plan.ts", {
    to: "mod/pod/plan/unwanted_containers.ts",
  }],
  ["a sub-room beside it", "mod/pod/plan/plan.ts", {
    to: "mod/pod/observed/mod.ts",
  }],
  ["what is generated for its room", "mod/api/read/schema.ts", {
    to: "mod/api/read/gen/pod_schema.ts",
  }],
  ["a builtin", "mod/host/file.ts", { to: "node:fs" }],
  ["grpc from cri", "mod/cri/client.ts", { to: "npm:@grpc/grpc-js@1.14.7" }],
  ["wire code from cri", "mod/cri/x.ts", { to: "proto/gen/runtime/v1/api.ts" }],
  ["wire code from wire code", "proto/gen/a.ts", { to: "proto/gen/b.ts" }],
  [
    "protobuf from wire code",
    "proto/gen/a.ts",
    { to: "npm:/@bufbuild/protobuf@2.17.0/wire" },
  ],
  ["yaml from api", "mod/api/text/yaml.ts", { to: "npm:js-yaml@5.5.0" }],
  [
    "types of the Kubernetes client",
    "mod/api/types/pod.ts",
    { to: "npm:@kubernetes/client-node@2.0.1", kind: "type" },
  ],
  ["any door from main.ts", "main.ts", { to: "mod/cli/mod.ts" }],
  ["the version from anywhere", "mod/config/x.ts", { to: "deno.json" }],
  ["grpc from tests", "tests/fake.ts", { to: "npm:@grpc/grpc-js@1" }],
  ["insides from unit tests of the folder", "tests/unit/pod/x_test.ts", {
    to: "mod/pod/plan/plan.ts",
  }],
  ["insides from a rig of the folder", "tests/support/pod/x_rig.ts", {
    to: "mod/pod/plan/plan.ts",
  }],
  ["wire code from tests", "tests/fake.ts", { to: "proto/gen/a.ts" }],
];

for (const [what, path, entry] of ALLOWED) {
  Deno.test(`findLayerFaults() allows ${what}`, () => {
    deepStrictEqual(faultsOf(module(path, entry)), []);
  });
}

const REFUSED: readonly (readonly [string, string, Import, RegExp])[] = [
  [
    "a higher floor",
    "mod/api/x.ts",
    { to: "mod/pod/mod.ts" },
    /^imports mod\/pod\/mod\.ts: floor 2 is not below floor 1; .*mod\/api\/ports\.ts$/,
  ],
  [
    "a neighbour on its floor",
    "mod/pod/x.ts",
    { to: "mod/cri/mod.ts" },
    /floor 2 is not below floor 2/,
  ],
  [
    "a type of a neighbour",
    "mod/pod/x.ts",
    { to: "mod/cri/mod.ts", kind: "type" },
    /floor 2 is not below/,
  ],
  [
    "a reach past a door",
    "mod/runtime/x.ts",
    { to: "mod/api/objects/ids.ts" },
    /^imports mod\/api\/objects\/ids\.ts; import mod\/api\/objects\/mod\.ts$/,
  ],
  [
    "a type from past a door",
    "mod/runtime/x.ts",
    { to: "mod/api/objects/ids.ts", kind: "type" },
    /import mod\/api\/objects\/mod\.ts$/,
  ],
  [
    "a reach past the door of a sub-room beside it",
    "mod/pod/plan/x.ts",
    { to: "mod/pod/status/phase.ts" },
    /import mod\/pod\/status\/mod\.ts$/,
  ],
  [
    "insides from other tests",
    "tests/component/pod/x_test.ts",
    { to: "mod/pod/plan/plan.ts" },
    /import mod\/pod\/plan\/mod\.ts$/,
  ],
  [
    "insides of another room from unit tests",
    "tests/unit/agent/x_test.ts",
    { to: "mod/pod/plan/plan.ts" },
    /import mod\/pod\/plan\/mod\.ts$/,
  ],
  [
    "insides of another room from a rig",
    "tests/support/agent/x_rig.ts",
    { to: "mod/pod/plan/plan.ts" },
    /import mod\/pod\/plan\/mod\.ts$/,
  ],
  [
    "insides from scripts",
    "scripts/demo.ts",
    { to: "mod/pod/plan/plan.ts" },
    /import mod\/pod\/plan\/mod\.ts$/,
  ],
  [
    "a reach past a door from main.ts",
    "main.ts",
    { to: "mod/cli/run.ts" },
    /import mod\/cli\/mod\.ts/,
  ],
  [
    "a folder without a floor",
    "mod/agent/x.ts",
    { to: "mod/cellar/mod.ts" },
    /mod\/cellar has no floor/,
  ],
  [
    "grpc outside cri",
    "mod/runtime/x.ts",
    { to: "npm:/@grpc/grpc-js@1.14.7" },
    /"@grpc\/grpc-js" is imported only by mod\/cri\//,
  ],
  [
    "even a type of grpc outside cri",
    "mod/runtime/x.ts",
    { to: "npm:@grpc/grpc-js@1.14.7", kind: "type" },
    /is imported only by/,
  ],
  [
    "grpc in main.ts",
    "main.ts",
    { to: "npm:@grpc/grpc-js@1.14.7" },
    /is imported only by/,
  ],
  [
    "wire code outside cri",
    "mod/runtime/x.ts",
    { to: "proto/gen/runtime/v1/api.ts", kind: "type" },
    /proto\/gen is imported only by/,
  ],
  [
    "code of the Kubernetes client",
    "mod/api/types/pod.ts",
    { to: "npm:@kubernetes/client-node@2.0.1", kind: "both" },
    /for types only/,
  ],
  [
    "another library",
    "mod/base/x.ts",
    { to: "npm:left-pad@1.0.0" },
    /"left-pad" is not a library/,
  ],
  [
    "a test library in the agent",
    "mod/base/x.ts",
    { to: "npm:fast-check@4.10.2" },
    /not a library of the agent/,
  ],
  [
    "code from the network",
    "mod/base/x.ts",
    { to: "https://example.test/x.ts" },
    /not part of the project/,
  ],
  [
    "a file outside of the project",
    "mod/base/x.ts",
    { to: "file:///elsewhere/x.ts" },
    /not part of the project/,
  ],
  [
    "a script in the agent",
    "mod/base/x.ts",
    { to: "scripts/tidy.ts" },
    /not part of the agent/,
  ],
  [
    "a test support in the agent",
    "mod/base/x.ts",
    { to: "tests/support/fake_clock.ts" },
    /not part of the agent/,
  ],
  [
    "main.ts in the agent",
    "mod/cli/x.ts",
    { to: "main.ts" },
    /not part of the agent/,
  ],
  [
    "the agent in wire code",
    "proto/gen/a.ts",
    { to: "mod/api/mod.ts" },
    /is generated/,
  ],
];

for (const [what, path, entry, expected] of REFUSED) {
  Deno.test(`findLayerFaults() refuses ${what}`, () => {
    const faults = faultsOf(module(path, { ...entry, line: 7 }));
    strictEqual(faults.length, 1);
    strictEqual(faults[0]?.path, path);
    strictEqual(faults[0]?.line, 7);
    strictEqual(expected.test(faults[0].message), true, faults[0].message);
  });
}

Deno.test("findLayerFaults() refuses a file that is in no folder with a floor", () => {
  deepStrictEqual(faultsOf(module("mod/loose.ts")).map(({ path }) => path), [
    "mod/loose.ts",
  ]);
  strictEqual(faultsOf(module("mod/cellar/x.ts")).length, 1);
});

// A room of floor 0, a sub-room of its own floor 2, and another room between them.
const SUB_ROOM_FLOORS = [["store"], ["wire"], ["store/remote"]];

for (
  const [what, from, to, expected] of [
    ["what is below its own floor", "store/remote", "wire", []],
    ["the room around it, which is below", "store/remote", "store", []],
    ["nothing from above", "wire", "store/remote", [
      "imports mod/store/remote/mod.ts: floor 2 is not below floor 1; declare what you need in mod/wire/ports.ts",
    ]],
    ["nothing of it in the room around it", "store", "store/remote", [
      "imports mod/store/remote/mod.ts: floor 2 is not below floor 0; declare what you need in mod/store/ports.ts",
    ]],
    [
      "the floor of the room for a sub-room that is not named",
      "store/disk",
      "wire",
      [
        "imports mod/wire/mod.ts: floor 1 is not below floor 0; declare what you need in mod/store/disk/ports.ts",
      ],
    ],
  ] as const
) {
  Deno.test(`findLayerFaults() lets a sub-room have its own floor: ${what}`, () => {
    const faults = findLayerFaults(
      [module(`mod/${from}/x.ts`, { to: `mod/${to}/mod.ts` })],
      { root: ROOT, floors: SUB_ROOM_FLOORS, libraries: LIBRARIES },
    );
    deepStrictEqual(faults.map(({ message }) => message), expected);
  });
}

Deno.test("findLayerFaults() refuses a file that does not exist", () => {
  const faults = faultsOf(
    module("mod/pod/x.ts", { to: "mod/pod/gone.ts", line: 3 }),
    { specifier: url("mod/pod/gone.ts"), error: "Module not found" },
  );
  deepStrictEqual(faults, [{
    path: "mod/pod/x.ts",
    line: 3,
    message: '"mod/pod/gone.ts" cannot be found',
  }]);
});

Deno.test("findLayerFaults() refuses a name that is not in the import map", () => {
  const faults = faultsOf({
    specifier: url("mod/pod/x.ts"),
    dependencies: [{
      specifier: "bare",
      code: { error: "not in import map", span: { start: { line: 0 } } },
    }],
  });
  strictEqual(faults[0]?.message, '"bare" cannot be found');
});

Deno.test("findLayerFaults() does not look into other people's modules", () => {
  deepStrictEqual(
    faultsOf(
      module("npm:/a@1.0.0", { to: "npm:/b@1.0.0" }),
      module("file:///cache/x.ts", { to: "mod/pod/plan/plan.ts" }),
    ),
    [],
  );
});

Deno.test("findLayerFaults() lists faults by path and line", () => {
  const faults = faultsOf(
    module(
      "mod/pod/b.ts",
      { to: "mod/cri/mod.ts", line: 9 },
      { to: "mod/agent/mod.ts", line: 2 },
    ),
    module("mod/api/a.ts", { to: "mod/cri/mod.ts", line: 5 }),
  );
  deepStrictEqual(faults.map(({ path, line }) => `${path}:${line}`), [
    "mod/api/a.ts:5",
    "mod/pod/b.ts:2",
    "mod/pod/b.ts:9",
  ]);
});

Deno.test("findLayerFaults() names the files of a circle, and only those", () => {
  const faults = faultsOf(
    module("mod/pod/a.ts", { to: "mod/pod/b.ts" }),
    module("mod/pod/b.ts", { to: "mod/pod/c.ts", kind: "type" }),
    module("mod/pod/c.ts", { to: "mod/pod/a.ts" }, { to: "mod/pod/d.ts" }),
    module("mod/pod/d.ts"),
  );
  deepStrictEqual(faults.map(({ path, message }) => [path, message]), [[
    "mod/pod/a.ts",
    "is part of a circle of imports: mod/pod/a.ts → mod/pod/b.ts → mod/pod/c.ts → mod/pod/a.ts",
  ]]);
});
