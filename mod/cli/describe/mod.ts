/**
 * A pod at length, as `describe pod` prints it. Pure.
 *
 * @module
 */

export { describeReport } from "./describe_report.ts";
