/**
 * The table of all fields of a Pod, put together.
 *
 * @module
 */

import { CONTAINER, CONTAINER_PARTS } from "./container_rows.ts";
import { ENV_PARTS } from "./env_rows.ts";
import { OBJECT_META, POD, POD_PARTS, POD_SPEC } from "./pod_rows.ts";
import { PROBE_PARTS } from "./probe_rows.ts";
import type { FieldTable } from "./row.ts";
import { SCHEDULING_PARTS } from "./scheduling_rows.ts";
import {
  POD_SECURITY_CONTEXT,
  SECURITY_CONTEXT,
  SECURITY_PARTS,
} from "./security_rows.ts";
import { VOLUME_PARTS } from "./volume_part_rows.ts";
import { REFUSED_TYPES, VOLUME } from "./volume_rows.ts";

/** Every type that a Pod can hold, each with a row for every field. */
export const FIELD_TABLE: FieldTable = {
  Pod: POD,
  ObjectMeta: OBJECT_META,
  PodSpec: POD_SPEC,
  Container: CONTAINER,
  ...CONTAINER_PARTS,
  ...ENV_PARTS,
  ...POD_PARTS,
  ...PROBE_PARTS,
  PodSecurityContext: POD_SECURITY_CONTEXT,
  SecurityContext: SECURITY_CONTEXT,
  ...SECURITY_PARTS,
  Volume: VOLUME,
  ...VOLUME_PARTS,
  ...SCHEDULING_PARTS,
  ...REFUSED_TYPES,
};
