/**
 * Why a volume could not be made ready.
 *
 * @module
 */

/**
 * What was found wrong with one volume; its message is the part behind
 * `Cannot set up volume "x": `.
 */
export class VolumeFailure extends Error {
  override readonly name = "VolumeFailure";
}
