/**
 * Manifests of pods that mount volumes of all kinds, and of their sources.
 *
 * @module
 */

import { podManifest } from "../../../scripts/lib/pod_manifest.ts";

const SLEEP = ["sleep", "100000"];

const SOURCES = {
  data: { emptyDir: {} },
  fast: { emptyDir: { medium: "Memory", sizeLimit: "8Mi" } },
  map: {
    configMap: {
      name: "map",
      defaultMode: 0o640,
      items: [
        { key: "a", path: "a" },
        { key: "b", path: "deep/b", mode: 0o400 },
      ],
    },
  },
  secret: { secret: { secretName: "safe", defaultMode: 0o400 } },
  down: {
    downwardAPI: {
      items: [
        { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
        {
          path: "limit",
          resourceFieldRef: {
            containerName: "c",
            resource: "limits.memory",
            divisor: "1Mi",
          },
        },
      ],
    },
  },
  mix: {
    projected: {
      sources: [
        {
          downwardAPI: {
            items: [
              { path: "name", fieldRef: { fieldPath: "metadata.name" } },
            ],
          },
        },
        { secret: { name: "safe" } },
        {
          configMap: {
            name: "map",
            items: [{ key: "b", path: "own/b", mode: 0o400 }],
          },
        },
      ],
    },
  },
};

/** A pod of user 1000 and group 2000 with a volume of every kind that has content. */
export function everyKind(): Record<string, unknown> {
  const names = Object.keys(SOURCES);
  const container = {
    command: SLEEP,
    resources: { limits: { memory: "64Mi" } },
    volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
  };
  const manifest = podManifest("all", {
    securityContext: { runAsUser: 1000, fsGroup: 2000 },
    volumes: Object.entries(SOURCES).map(([name, source]) => ({
      name,
      ...source,
    })),
    containers: [
      { name: "c", ...container },
      {
        name: "env",
        command: SLEEP,
        env: [{
          name: "PASSWORD",
          valueFrom: { secretKeyRef: { name: "safe", key: "password" } },
        }],
      },
    ],
  });
  return { ...manifest, metadata: { name: "all", labels: { team: "blue" } } };
}

/** A pod with a UID of its own, so that a change of its labels is no new pod. */
export function livePod(team: string): Record<string, unknown> {
  const manifest = podManifest("live", {
    volumes: [
      { name: "map", configMap: { name: "map" } },
      { name: "later", configMap: { name: "later", optional: true } },
      { name: "secret", secret: { secretName: "safe" } },
      { name: "mix", projected: { sources: [{ secret: { name: "safe" } }] } },
      {
        name: "down",
        downwardAPI: {
          items: [{
            path: "team",
            fieldRef: { fieldPath: "metadata.annotations['team']" },
          }],
        },
      },
    ],
    containers: [{
      name: "c",
      command: SLEEP,
      volumeMounts: [
        ...["map", "later", "secret", "mix", "down"].map((name) => ({
          name,
          mountPath: `/${name}`,
        })),
        { name: "map", mountPath: "/single", subPath: "word" },
      ],
    }],
  });
  return {
    ...manifest,
    metadata: { name: "live", uid: "live-1", annotations: { team } },
  };
}

/** A pod with one container that mounts one volume at `/v`. */
export function mounting(
  name: string,
  source: object,
): Record<string, unknown> {
  return podManifest(name, {
    volumes: [{ name: "v", ...source }],
    containers: [{
      name: "c",
      command: SLEEP,
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    }],
  });
}
