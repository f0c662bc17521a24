/**
 * What certificates need from elsewhere.
 *
 * @module
 */

/** Small files that only the agent may read. */
export interface SecretFiles {
  /** @returns `undefined` when there is none */
  read(path: string): Promise<string | undefined>;
  /** Every reader, and the next boot, sees the old content or the new; mode 0600. */
  replace(path: string, text: string): Promise<void>;
  /** It is no fault when there is none. */
  remove(path: string): Promise<void>;
}
