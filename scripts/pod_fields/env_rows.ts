/**
 * Rows of the environment of containers.
 *
 * @module
 */

import { container, done, init, notApplicable, type TypeRows } from "./row.ts";

const env = (rest: Readonly<Record<string, unknown>>) =>
  container({ env: [{ name: "A", ...rest }] });
const from = (valueFrom: Readonly<Record<string, unknown>>) =>
  env({ valueFrom });
const key = (kind: string, ref: Readonly<Record<string, unknown>>) =>
  from({ [kind]: { name: ref["name"] ?? "settings", key: "a", ...ref } });
const file = (ref: Readonly<Record<string, unknown>>) =>
  container(
    {
      env: [{
        name: "A",
        valueFrom: {
          fileKeyRef: { volumeName: "v", path: "vars", key: "K", ...ref },
        },
      }],
    },
    { volumes: [{ name: "v", emptyDir: {} }, { name: "w", emptyDir: {} }] },
  );
const resource = (ref: Readonly<Record<string, unknown>>) =>
  container({
    resources: { limits: { cpu: "2", memory: "1Gi" } },
    env: [{
      name: "A",
      valueFrom: { resourceFieldRef: { resource: "limits.cpu", ...ref } },
    }],
  });

/** The environment of a container. */
export const ENV_PARTS: Readonly<Record<string, TypeRows>> = {
  EnvVar: {
    name: done("container", "", env({ value: "1" }), "B"),
    value: done("container", "", env({ value: "1" })),
    valueFrom: done(
      "container",
      "",
      from({ fieldRef: { fieldPath: "metadata.name" } }),
    ),
  },
  EnvVarSource: {
    configMapKeyRef: done("container", "", key("configMapKeyRef", {}), {
      name: "settings",
      key: "b",
    }),
    fieldRef: done(
      "container",
      "",
      from({ fieldRef: { fieldPath: "metadata.name" } }),
      { fieldPath: "metadata.namespace" },
    ),
    fileKeyRef: done("container", "", file({}), {
      volumeName: "v",
      path: "vars",
      key: "L",
    }),
    resourceFieldRef: done("container", "", resource({}), {
      resource: "limits.memory",
    }),
    secretKeyRef: done("container", "", key("secretKeyRef", {}), {
      name: "settings",
      key: "b",
    }),
  },
  EnvFromSource: {
    configMapRef: done(
      "container",
      "",
      container({ envFrom: [{ configMapRef: { name: "settings" } }] }),
      { name: "other" },
    ),
    prefix: done(
      "container",
      "",
      container({
        envFrom: [{ prefix: "P_", configMapRef: { name: "settings" } }],
      }),
    ),
    secretRef: done(
      "container",
      "",
      container({ envFrom: [{ secretRef: { name: "settings" } }] }),
      { name: "other" },
    ),
  },
  ConfigMapEnvSource: {
    name: done(
      "container",
      "a ConfigMap document of the manifest directory",
      container({ envFrom: [{ configMapRef: { name: "settings" } }] }),
      "other",
    ),
    optional: done(
      "container",
      "",
      container({
        envFrom: [{ configMapRef: { name: "nil", optional: true } }],
      }),
    ),
  },
  SecretEnvSource: {
    name: done(
      "container",
      "a Secret document of the manifest directory",
      container({ envFrom: [{ secretRef: { name: "settings" } }] }),
      "other",
    ),
    optional: done(
      "container",
      "",
      container({ envFrom: [{ secretRef: { name: "nil", optional: true } }] }),
    ),
  },
  ConfigMapKeySelector: {
    key: done("container", "", key("configMapKeyRef", {}), "b"),
    name: done("container", "", key("configMapKeyRef", {}), "other"),
    optional: done(
      "container",
      "",
      key("configMapKeyRef", { name: "nil", optional: true }),
    ),
  },
  SecretKeySelector: {
    key: done("container", "", key("secretKeyRef", {}), "b"),
    name: done("container", "", key("secretKeyRef", {}), "other"),
    optional: done(
      "container",
      "",
      key("secretKeyRef", { name: "nil", optional: true }),
    ),
  },
  FileKeySelector: {
    key: done("container", "", file({}), "L"),
    optional: done("container", "", file({ key: "NONE", optional: true })),
    path: done("container", "", file({}), "other"),
    volumeName: done("container", "an emptyDir", file({}), "w"),
  },
  ObjectFieldSelector: {
    apiVersion: notApplicable(
      "there is only `v1`, and any other is refused",
      from({ fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } }),
    ),
    fieldPath: done(
      "container",
      "",
      from({ fieldRef: { fieldPath: "metadata.name" } }),
      "metadata.namespace",
    ),
  },
  ResourceFieldSelector: {
    containerName: done(
      "container",
      "",
      init({
        env: [{
          name: "A",
          valueFrom: {
            resourceFieldRef: { containerName: "c", resource: "limits.cpu" },
          },
        }],
        resources: { limits: { cpu: "1" } },
      }),
    ),
    divisor: done("container", "", resource({ divisor: "1m" })),
    resource: done("container", "", resource({}), "limits.memory"),
  },
};
