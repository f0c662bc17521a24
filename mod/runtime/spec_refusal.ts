/**
 * The one way a part of a specification says "this cannot be built".
 *
 * @module
 */

/**
 * What was found in a pod that no sandbox or container can be made of.
 *
 * `buildContainerConfig()` turns it into a `CreateContainerConfigError`;
 * `buildSandboxConfig()` lets it through, since the pod's sandbox then fails.
 */
export class SpecRefusal extends Error {
  override readonly name = "SpecRefusal";
}
