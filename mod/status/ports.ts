/**
 * What remembering statuses needs of the disk.
 *
 * @module
 */

/** One small text a pod, in a directory that comes and goes with the pod. */
export interface RecordFiles {
  /**
   * Reads the text of a pod; `undefined` when it has none.
   *
   * @throws {Error} when it cannot be read
   */
  read(uid: string): Promise<string | undefined>;
  /**
   * Replaces the text of a pod as a whole.
   *
   * @param options.durable whether it survives a power cut once this resolves
   * @returns false when the pod has no directory, which is never made here
   * @throws {Error} when it cannot be written
   */
  write(
    uid: string,
    text: string,
    options: { readonly durable: boolean },
  ): Promise<boolean>;
}
