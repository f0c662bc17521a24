/**
 * Credentials for registries: those of the Secrets that a pod names, then those of docker
 * configurations and of a service on the node. Which of them are for an image is decided as the kubelet
 * decides it, and all that are for it are tried. What cannot be used is said and takes
 * nothing from the rest; no login shows in what is said.
 *
 * @example No credentials anywhere
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { ImageCredentials } from "./mod.ts";
 *
 * const finder = new ImageCredentials({
 *   objects: {
 *     seenBy: () => ({
 *       configMap: () => undefined,
 *       secret: () => undefined,
 *       claim: () => undefined,
 *       runtimeClass: () => undefined,
 *       withheld: () => undefined,
 *     }),
 *   },
 *   node: [],
 * });
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c", image: "busybox" }] },
 * };
 * const found = await finder.find({ pod, repository: "docker.io/library/busybox" });
 * deepStrictEqual(found, { credentials: [], problems: [] });
 * ```
 *
 * @module
 */

export { type AskProvider, CredentialEndpoint } from "./credential_endpoint.ts";
export {
  type CredentialFinder,
  type CredentialProblem,
  ImageCredentials,
  type PullCredential,
} from "./image_credentials.ts";
export { NodeConfigFiles } from "./node_config_files.ts";
