/**
 * Where skerry knowingly asks the runtime for something else than the recorded
 * kubelet does.
 *
 * A difference that is not listed here fails the golden test, and so does an entry
 * that no longer differs.
 *
 * @module
 */

/** One place at which a request differs from the recorded one. */
export interface GoldenDeviation {
  /** A file of `testdata/golden`. */
  readonly file: string;
  /** A call, such as `CreateContainer[1]`, or a field in it, such as `RunPodSandbox[0].config.hostname`. */
  readonly path: string;
  readonly reason: string;
}

/** Every deviation from the golden files. */
export const GOLDEN_DEVIATIONS: readonly GoldenDeviation[] = [
  {
    file: "downward-volume.json",
    path: "RunPodSandbox[0]",
    reason: "downwardAPI volumes are not supported yet, so the pod waits",
  },
  {
    file: "downward-volume.json",
    path: "CreateContainer[0]",
    reason: "downwardAPI volumes are not supported yet, so the pod waits",
  },
  {
    file: "emptydir.json",
    path: "CreateContainer[1]",
    reason:
      "subPath is refused: without mount(2) the path cannot be pinned against exchanged links",
  },
];
