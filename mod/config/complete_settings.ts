/**
 * Reads the table of settings: what each place gave, and which paths are meant.
 *
 * @module
 */

import type { AgentConfig, Settings } from "./agent_config.ts";
import { optionOf, type Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** What each place gives, by the name of the flag or the path of the field. */
export interface GivenValues {
  readonly flags: ReadonlyMap<string, unknown>;
  readonly skerry: ReadonlyMap<string, unknown>;
  readonly kubelet: ReadonlyMap<string, unknown>;
}

/** Every row of the table, with its key and that of its part. */
export const ROWS: readonly {
  readonly part: string;
  readonly key: string;
  readonly setting: Setting<unknown>;
}[] = Object.entries(SETTINGS).flatMap(([part, rows]) =>
  Object.entries<Setting<unknown>>(rows)
    .map(([key, setting]) => ({ part, key, setting }))
);

/**
 * Takes each setting from the first place that gives it: flag, file, default.
 *
 * @param defaults those that are others than the table's, by part and key
 */
export function completeSettings(
  given: GivenValues,
  defaults: ReadonlyMap<string, unknown> = new Map(),
): Settings {
  const parts: Record<string, Record<string, unknown>> = {};
  for (const { part, key, setting } of ROWS) {
    const { flag, skerry, kubelet, fallback } = setting;
    parts[part] = {
      ...parts[part],
      [key]: given.flags.get(flag?.name ?? "") ??
        given.skerry.get(skerry?.path ?? "") ??
        given.kubelet.get(kubelet?.path ?? "") ??
        defaults.get(`${part}.${key}`) ?? fallback,
    };
  }
  // The type of a row is that of its decoders and of its default.
  return parts as unknown as Settings;
}

/** The values that the rows of the table have in settings. */
export function valuesIn(
  parts: object,
): readonly (typeof ROWS[number] & { readonly value: unknown })[] {
  const byPart = new Map<string, object | undefined>(Object.entries(parts));
  return ROWS.map((row) => {
    const values = Object.entries(byPart.get(row.part) ?? {});
    return { ...row, value: new Map<string, unknown>(values).get(row.key) };
  });
}

/** The values that the rows of the table have in a whole configuration. */
export function valuesOf(config: AgentConfig): ReturnType<typeof valuesIn> {
  const { manifestUrl } = config.source;
  return valuesIn({ ...config, manifestUrl });
}

/** A path that a configuration names, and the option that names it. */
export interface NamedPath {
  readonly option: string;
  readonly path: string;
  readonly access: "read" | "write";
}

/** Lists the paths of all settings but the file of the settings itself. */
export function namedPaths(config: AgentConfig): NamedPath[] {
  return valuesOf(config).flatMap(({ setting, value }) => {
    const { access } = setting;
    if (access === undefined) return [];
    const option = optionOf(setting);
    return [value].flat().filter((path) => typeof path === "string")
      // A URL is no path.
      .filter((path) => path.startsWith("/"))
      .map((path) => ({ option, path, access }));
  });
}
