/**
 * Volumes as containers are given them.
 *
 * @module
 */

/** Where the content of one volume lies on the node. */
export interface VolumeSource {
  /** Absolute path of the directory or file that is mounted. */
  readonly hostPath: string;
  /** True when the volume may not be written, whatever the mount says. */
  readonly readOnly: boolean;
}
