/**
 * A world of settings made of texts.
 *
 * @module
 */

import type { ConfigIo } from "../../../mod/config/agent_config.ts";

/** Files by absolute path; the caller stands in `/here` on host `Node-1`. */
export function fakeIo(files: Readonly<Record<string, string>> = {}): ConfigIo {
  return {
    cwd: () => "/here",
    hostname: () => "Node-1",
    readTextFile: (path) => {
      const text = files[path];
      return text === undefined
        ? Promise.reject(new Deno.errors.NotFound("No such file"))
        : Promise.resolve(text);
    },
  };
}

/** A configuration file of the kubelet's kind with these lines. */
export function kubeletFile(...lines: readonly string[]): string {
  return [
    "apiVersion: kubelet.config.k8s.io/v1beta1",
    "kind: KubeletConfiguration",
    ...lines,
    "",
  ].join("\n");
}

/** A second document with these lines. */
export function skerryFile(...lines: readonly string[]): string {
  return [
    "---",
    "apiVersion: skerry.dev/v1alpha1",
    "kind: SkerryConfiguration",
    ...lines,
    "",
  ].join("\n");
}
