/**
 * Pure decisions about one pod: what to do next, what to say of it, how long it
 * gets to end. Nothing here reads a clock, touches the world or logs.
 *
 * @module
 */

export * from "./activity.ts";
export * from "./admission.ts";
export * from "./admission_resources.ts";
export * from "./allocated_pod.ts";
export * from "./cgroup_names.ts";
export * from "./cidr.ts";
export * from "./conditions.ts";
export * from "./container_resources.ts";
export * from "./container_statuses.ts";
export * from "./deliberate_stop.ts";
export * from "./downward.ts";
export * from "./explain.ts";
export * from "./explain_facts.ts";
export * from "./explain_missing.ts";
export * from "./explain_plan.ts";
export * from "./grace.ts";
export * from "./grants.ts";
export * from "./http_action.ts";
export * from "./lifecycle.ts";
export * from "./normal_status.ts";
export * from "./observed.ts";
export * from "./phase.ts";
export * from "./plan.ts";
export * from "./plan_reset.ts";
export * from "./plan_resize.ts";
export * from "./pod_cgroup.ts";
export * from "./probe_rules.ts";
export * from "./probe_status.ts";
export * from "./qos.ts";
export * from "./references.ts";
export * from "./refused_status.ts";
export * from "./resource_amounts.ts";
export * from "./restart_backoff.ts";
export * from "./restart_rules.ts";
export * from "./rollback.ts";
export * from "./runtime_class.ts";
export * from "./runtime_support.ts";
export * from "./sandbox_decision.ts";
export * from "./status.ts";
export * from "./sysctls.ts";
export * from "./terminated_status.ts";
export * from "./timestamp.ts";
export * from "./unsupported.ts";
