/**
 * Pods that are wrong in their metadata.
 *
 * @module
 */

import {
  type HostileManifest,
  hostilePod,
  type ManifestPart,
  wrong,
} from "./row.ts";

/** Names, namespaces, UIDs, labels and annotations that must not be. */
export function hostileMetadata(): HostileManifest[] {
  return [...names(), ...namespaces(), ...uids(), ...maps()];
}

function names(): HostileManifest[] {
  const name = (title: string, value: unknown) =>
    wrong(`name-${title}`, hostilePod({}, { name: value }), /metadata\.name/);
  return [
    name("empty", ""),
    name("null", null),
    name("number", 5),
    name("long", "a".repeat(254)),
    // Only with the node's name it is too long.
    name("long-with-node", "a".repeat(253)),
    name("upper", "Web"),
    name("underscore", "a_b"),
    name("dot", "."),
    name("dots", ".."),
    name("dash", "-a"),
    name("dash-end", "a-"),
    name("dots-inside", "a..b"),
    name("unicode", "wéb"),
    name("right-to-left", "a\u202eb"),
    name("newline", "a\nb"),
    name("nul", "a\u0000b"),
    name("escape", "a\u001b[31mb"),
    name("slash", "a/b"),
    name("path", "../../etc/passwd"),
    name("space", "a b"),
    wrong(
      "generate-name",
      { ...hostilePod(), metadata: { generateName: "web-" } },
      /metadata\.name/,
    ),
  ];
}

function namespaces(): HostileManifest[] {
  const namespace = (title: string, value: unknown) =>
    wrong(
      `namespace-${title}`,
      hostilePod({}, { namespace: value }),
      /metadata\.namespace/,
    );
  return [
    namespace("path", "../x"),
    namespace("slash", "a/b"),
    namespace("long", "a".repeat(64)),
    namespace("upper", "Kube"),
    namespace("dot", "a.b"),
    namespace("number", 1),
  ];
}

function uids(): HostileManifest[] {
  const uid = (title: string, value: unknown) =>
    wrong(`uid-${title}`, hostilePod({}, { uid: value }), /metadata\.uid/);
  return [
    uid("path", "../../etc"),
    uid("slash", "a/b"),
    uid("dots", ".."),
    uid("absolute", "/etc"),
    uid("long", "a".repeat(10_240)),
    uid("newline", "a\nb"),
    uid("nul", "a\u0000"),
    uid("dash", "-rf"),
    uid("glob", "*"),
    uid("number", 12),
  ];
}

function maps(): HostileManifest[] {
  const metadata = (title: string, more: ManifestPart, names: RegExp) =>
    wrong(title, hostilePod({}, more), names);
  return [
    metadata("label-key", { labels: { "a b": "c" } }, /metadata\.labels/),
    metadata("label-prefix", { labels: { "A_/x": "c" } }, /metadata\.labels/),
    metadata("label-slashes", { labels: { "a/b/c": "d" } }, /metadata\.labels/),
    metadata("label-no-key", { labels: { "": "d" } }, /metadata\.labels/),
    metadata(
      "label-long",
      { labels: { ["a".repeat(64)]: "" } },
      /metadata\.labels/,
    ),
    metadata(
      "label-value",
      { labels: { a: "x".repeat(64) } },
      /metadata\.labels/,
    ),
    metadata("label-space", { labels: { a: "x y" } }, /metadata\.labels/),
    metadata(
      "annotation-key",
      { annotations: { "a b": "" } },
      /metadata\.annotations/,
    ),
    metadata(
      "annotation-map",
      { annotations: { a: {} } },
      /metadata\.annotations/,
    ),
    metadata(
      "annotations",
      { annotations: { a: "x".repeat((256 << 10) + 1) } },
      /metadata\.annotations/,
    ),
    metadata("metadata-unknown", { nam: "x" }, /metadata\.nam.*name/),
    metadata("owner", { ownerReferences: [{}] }, /metadata\.ownerReferences/),
    metadata("finalizers", { finalizers: "x" }, /metadata\.finalizers/),
  ];
}
