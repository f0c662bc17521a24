/**
 * What parts of the agent tell: log lines and metrics.
 *
 * @module
 */

import {
  type LogFields,
  type Logger,
  type MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";

/** A log that a test reads, line by line. */
export class LogRecorder {
  readonly #lines: { message: string; fields: LogFields }[] = [];
  readonly logger: Logger;

  constructor() {
    const write = (message: string, fields: LogFields = {}): void => {
      this.#lines.push({ message, fields });
    };
    this.logger = {
      ...silentLogger,
      named: () => this.logger,
      info: write,
      warn: write,
      error: write,
    };
  }

  /** The fields of each line with this message. */
  of(message: string): readonly LogFields[] {
    return this.#lines.flatMap((line) =>
      line.message === message ? [line.fields] : []
    );
  }
}

/** What a metric without labels shows; `NaN` when there is none. */
export function gaugeOf(metrics: MetricsRegistry, name: string): number {
  const line = metrics.render().split("\n")
    .find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1));
}
