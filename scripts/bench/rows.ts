/**
 * Rows that set skerry and the kubelet beside each other.
 *
 * @module
 */

import { ratio, spread } from "./figures.ts";

/** What is printed in one line: what it is, the figure, and what that is compared with. */
export type Row = readonly [what: string, figure: string, compared: string];

/** When the pods of a burst ran, after its begin. */
export interface Burst {
  readonly firstMs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

const BURST_FIGURES = [
  ["all running", "lastMs"],
  ["half of them", "medianMs"],
  ["the first", "firstMs"],
] as const;

/** The rows of a burst of `count` pods: bare calls, and each agent with its ratio to them. */
export function burstRows({ count, aim, bare, seen }: {
  readonly count: number;
  readonly aim: string;
  readonly bare: readonly Burst[];
  /** By the agent's name. */
  readonly seen: ReadonlyMap<string, readonly Burst[]>;
}): readonly Row[] {
  return BURST_FIGURES.flatMap(([what, key]) => {
    const times = (bursts: readonly Burst[]): number[] =>
      bursts.map((burst) => burst[key]);
    const bareRow: Row = [
      `${count} pods at once, bare CRI calls, ${what}`,
      spread(times(bare), "ms"),
      "",
    ];
    return [
      bareRow,
      ...[...seen].map(([name, bursts]): Row => {
        const aimed = name === "skerry" && key === "lastMs" ? aim : "";
        return [
          `${count} pods at once, ${name}, ${what}`,
          spread(times(bursts), "ms"),
          `${ratio(times(bursts), times(bare))} ${aimed}`,
        ];
      }),
    ];
  });
}

/** Figures of each row, by what was measured. */
export type Seen = Map<string, { unit: string; aim: string; values: number[] }>;

/** What is printed: each row of skerry, and that of the kubelet below it. */
export function footprintRows(
  seen: ReadonlyMap<string, Seen>,
): readonly Row[] {
  const kubelet = seen.get("kubelet");
  return [...seen.get("skerry") ?? []].flatMap(([what, row]) => {
    const digits = row.unit === "%" ? 1 : 0;
    const own: Row = [
      `skerry ${what}`,
      spread(row.values, row.unit, digits),
      row.aim,
    ];
    const other = kubelet?.get(what);
    return other === undefined ? [own] : [
      own,
      [
        `kubelet ${what}`,
        spread(other.values, other.unit, digits),
        `${ratio(other.values, row.values)} of skerry's`,
      ] as const,
    ];
  });
}
