/**
 * Tests of what volumes of content hold, and at which paths.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import type { ObjectGetter } from "../../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "../../support/no_objects.ts";
import type { Volume } from "../../../mod/api/types/mod.ts";
import { nestedMountPoints } from "../../../mod/volume/used_volumes.ts";
import { namedObjects, volumePayload } from "../../../mod/volume/payload.ts";
import {
  directoriesAbove,
  payloadPath,
} from "../../../mod/volume/payload_path.ts";
import { container, pod } from "../../support/pods.ts";
import { keyed } from "../../support/keyed_objects.ts";

const POD = pod();

/** Knows one configMap and one secret, both of the name `x` in `shop`. */
const OBJECTS: ObjectGetter = {
  ...NO_OBJECTS,
  configMap: ({ namespace, name }) =>
    namespace === "shop" && name === "x"
      ? keyed("ConfigMap", "x", { a: "ConfigMap a", b: "ConfigMap b" })
      : undefined,
  secret: ({ namespace, name }) =>
    namespace === "shop" && name === "x"
      ? keyed("Secret", "x", { a: "Secret a" })
      : undefined,
};

function filesOf(volume: Omit<Volume, "name">): Record<string, string> {
  const payload = volumePayload(POD, { name: "v", ...volume }, {
    objects: OBJECTS,
    allocatable: new Map(),
  });
  return Object.fromEntries(
    [...payload].map(([path, { content, mode }]) => [
      path,
      `${new TextDecoder().decode(content)} ${mode.toString(8)}`,
    ]),
  );
}

const HELD: readonly {
  readonly title: string;
  readonly volume: Omit<Volume, "name">;
  readonly files: Readonly<Record<string, string>>;
}[] = [
  {
    title: "all keys of a configMap with the default mode",
    volume: { configMap: { name: "x", defaultMode: 0o400 } },
    files: { a: "ConfigMap a 400", b: "ConfigMap b 400" },
  },
  {
    title: "chosen keys only",
    volume: {
      configMap: {
        name: "x",
        items: [{ key: "b", path: "./d//b", mode: 0o600 }],
      },
    },
    files: { "d/b": "ConfigMap b 600" },
  },
  {
    title: "nothing of an optional configMap that is not there",
    volume: { configMap: { name: "y", optional: true } },
    files: {},
  },
  {
    title: "what there is of optional keys (VO-14)",
    volume: {
      secret: {
        secretName: "x",
        optional: true,
        items: [{ key: "a", path: "p" }, { key: "z", path: "q" }],
      },
    },
    files: { p: "Secret a 644" },
  },
  {
    title: "the later of two projected sources",
    volume: {
      projected: {
        sources: [{ secret: { name: "x" } }, { configMap: { name: "x" } }],
      },
    },
    files: { a: "ConfigMap a 644", b: "ConfigMap b 644" },
  },
  { title: "nothing of no sources", volume: { projected: {} }, files: {} },
];

for (const { title, volume, files } of HELD) {
  Deno.test(`volumePayload() holds ${title}`, () => {
    deepStrictEqual(filesOf(volume), files);
  });
}

const REFUSED: readonly {
  readonly title: string;
  readonly volume: Omit<Volume, "name">;
  readonly message: RegExp;
}[] = [
  {
    title: "a configMap that is not there (VO-14)",
    volume: { configMap: { name: "y" } },
    message: /^configmap "y" not found$/,
  },
  {
    title: "a secret that is not there (VO-14)",
    volume: { secret: { secretName: "y" } },
    message: /^secret "y" not found$/,
  },
  {
    title: "a key that a configMap has not (VO-14)",
    volume: { configMap: { name: "x", items: [{ key: "k", path: "p" }] } },
    message: /references non-existent config key: k$/,
  },
  {
    title: "a key that a secret has not (VO-14)",
    volume: { secret: { secretName: "x", items: [{ key: "k", path: "p" }] } },
    message: /references non-existent secret key: k$/,
  },
  {
    title: "a path that leads out",
    volume: { configMap: { name: "x", items: [{ key: "a", path: "a/../b" }] } },
    message: /contains "\.\."/,
  },
  {
    title: "a path that is a file and a directory",
    volume: {
      configMap: {
        name: "x",
        items: [{ key: "a", path: "p" }, { key: "b", path: "p/q" }],
      },
    },
    message: /"p" is to be a file and a directory/,
  },
  {
    title: "a field that no file can show",
    volume: {
      downwardAPI: {
        items: [{ path: "p", fieldRef: { fieldPath: "status.podIP" } }],
      },
    },
    message: /"status.podIP" cannot be shown in a file/,
  },
  {
    title: "an item of no field",
    volume: { downwardAPI: { items: [{ path: "p" }] } },
    message: /has neither/,
  },
  {
    title: "the resource of a container that is not there",
    volume: {
      downwardAPI: {
        items: [{
          path: "p",
          resourceFieldRef: { containerName: "z", resource: "limits.cpu" },
        }],
      },
    },
    message: /no container "z"/,
  },
  {
    title: "a token that no API server has given",
    volume: {
      projected: { sources: [{ serviceAccountToken: { path: "t" } }] },
    },
    message: /no API server has given one for the service account "default"/,
  },
  ...["clusterTrustBundle", "podCertificate"].map((kind) => ({
    title: `a projected source ${kind}`,
    // A source of any kind has only its kind.
    volume: {
      projected: { sources: [{ [kind]: { path: "t" } }] },
    } as Omit<Volume, "name">,
    message: new RegExp(`projected source "${kind}" is not supported`),
  })),
];

for (const { title, volume, message } of REFUSED) {
  Deno.test(`volumePayload() refuses ${title}`, () => {
    throws(() => filesOf(volume), { name: "VolumeFailure", message });
  });
}

for (
  const [path, message] of [
    ["/a", /absolute/],
    ["", /empty/],
    [".", /empty/],
    ["..", /contains/],
    ["a/..", /contains/],
    ["..data", /begins with/],
    ["./..x/y", /begins with/],
    ["a\0b", /zero byte/],
    ["a/..skerry-draft-1", /are taken/],
    ["é".repeat(128), /longer than 255 bytes/],
    ["a/".repeat(2049), /longer than 4096 bytes/],
  ] as const
) {
  Deno.test(`payloadPath() refuses ${JSON.stringify(path.slice(0, 20))}`, () => {
    throws(() => payloadPath(path), { message });
  });
}

for (const path of ["a", ".hidden", "a/b/c", "a/..b", "é".repeat(127)]) {
  Deno.test(`payloadPath() takes ${JSON.stringify(path.slice(0, 20))}`, () => {
    strictEqual(payloadPath(path), path);
  });
}

Deno.test("nestedMountPoints() finds the outermost mounts in each container, each once", () => {
  const mount = (name: string, mountPath: string) => ({ name, mountPath });
  const subject = pod({
    initContainers: [container("i", {
      volumeMounts: [mount("v", "/"), mount("w", "/x/y"), mount("w", "/x")],
    })],
    containers: [
      container("c", {
        volumeMounts: [
          mount("v", "/a/"),
          mount("w", "/a//b/c"),
          mount("w", "/a/b/c/d"),
          mount("w", "/ab"),
          mount("w", "/a/../up"),
        ],
      }),
      container("part", {
        volumeMounts: [
          { ...mount("v", "/a"), subPath: "s" },
          mount("w", "/a/z"),
        ],
      }),
      container("again", {
        volumeMounts: [mount("v", "/q"), mount("w", "/q/x")],
      }),
    ],
  });
  deepStrictEqual(nestedMountPoints(subject, "v"), ["x", "b/c"]);
  deepStrictEqual(nestedMountPoints(subject, "w"), ["y", "d"]);
});

Deno.test("nestedMountPoints() finds what a look at each pair of mounts finds", () => {
  const part = fc.constantFrom("a", "b", "a-b", "a b");
  const path = fc.array(part, { minLength: 1, maxLength: 4 })
    .map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      (paths, areWhole) => {
        const volumeMounts = paths.map((mountPath, at) => ({
          name: areWhole[at] === true ? "v" : "w",
          mountPath,
        }));
        const subject = pod({ containers: [container("c", { volumeMounts })] });
        const expected = volumeMounts.filter(({ name }) => name === "v")
          .flatMap(({ mountPath }) => {
            const below = paths.filter((each) =>
              each.startsWith(`${mountPath}/`)
            );
            return below.filter((each) =>
              !below.some((outer) => each.startsWith(`${outer}/`))
            ).map((each) => each.slice(mountPath.length + 1));
          });
        deepStrictEqual(
          [...nestedMountPoints(subject, "v")].sort(),
          [...new Set(expected)].sort(),
        );
      },
    ),
  );
});

Deno.test("directoriesAbove() lists each directory once, behind the one that it lies in", () => {
  deepStrictEqual([...directoriesAbove(["a/b/c", "d", "a/b/e/f"])], [
    "a",
    "a/b",
    "a/b/e",
  ]);
});

Deno.test("volumePayload() refuses thousands of the deepest paths before it has all of their directories", () => {
  const items = Array.from({ length: 6 }, (_, at) => ({
    key: "a",
    path: `${at}/${"a/".repeat(2_000)}f`,
  }));
  const filesAt = (count: number) =>
    filesOf({ configMap: { name: "x", items: items.slice(0, count) } });
  strictEqual(Object.keys(filesAt(4)).length, 4);
  throws(() => filesAt(6), { message: "it needs more than 10000 directories" });
});

Deno.test("namedObjects() lists the configMaps and secrets of a volume", () => {
  const named = (volume: Omit<Volume, "name">): readonly string[] =>
    namedObjects(POD, { name: "v", ...volume })
      .map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  deepStrictEqual(named({ configMap: { name: "a" } }), ["ConfigMap shop/a"]);
  deepStrictEqual(named({ secret: { secretName: "a" } }), ["Secret shop/a"]);
  const sources = [
    { configMap: { name: "a" } },
    { secret: { name: "b" } },
    { downwardAPI: {} },
  ];
  deepStrictEqual(named({ projected: { sources } }), [
    "ConfigMap shop/a",
    "Secret shop/b",
  ]);
  deepStrictEqual(named({ downwardAPI: {} }), []);
  deepStrictEqual(named({ emptyDir: {} }), []);
});

for (
  const [title, securityContext, mode] of [
    ["all where the pod does not say who it is", undefined, "644"],
    ["its owner where the pod has a group", { fsGroup: 7 }, "600"],
    ["its owner where the pod has a user", { runAsUser: 7 }, "600"],
  ] as const
) {
  Deno.test(`volumePayload() lets a token be read by ${title}`, () => {
    const source = { serviceAccountToken: { path: "in/token" } };
    const of = pod({ ...securityContext && { securityContext } });
    const object = `token/${of.metadata.uid}/3600/`;
    const volume = { name: "v", projected: { sources: [source] } };
    const payload = volumePayload(of, volume, {
      objects: {
        ...NO_OBJECTS,
        secret: ({ name }) =>
          name === object ? keyed("Secret", name, { token: "ey" }) : undefined,
      },
      allocatable: new Map(),
    });
    const [[path, file] = []] = payload;
    strictEqual(path, "in/token");
    strictEqual(new TextDecoder().decode(file?.content), "ey");
    strictEqual(file?.mode.toString(8), mode);
  });
}

const WITHHOLDING: ObjectGetter = {
  ...NO_OBJECTS,
  withheld: ({ kind, name }) => `of ${kind} ${name}: no such right`,
};

for (
  const [volume, words] of [
    [
      { configMap: { name: "x", optional: true } },
      "failed to sync configmap cache: of ConfigMap x: no such right",
    ],
    [
      { secret: { secretName: "x" } },
      "failed to sync secret cache: of Secret x: no such right",
    ],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
      `failed to fetch token: of Secret token/${POD.metadata.uid}/3600/: no such right`,
    ],
  ] as const
) {
  Deno.test(`(IN-11) what a server refuses to say is no content, not even of an optional volume: ${words}`, () => {
    throws(
      () =>
        volumePayload(POD, { name: "v", ...volume }, {
          objects: WITHHOLDING,
          allocatable: new Map(),
        }),
      { name: "VolumeFailure", message: words },
    );
  });
}
