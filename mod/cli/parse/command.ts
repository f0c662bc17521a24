/**
 * What a command line can ask for.
 *
 * @module
 */

import type { Resource } from "../../api/access/mod.ts";
import type { UnknownFields } from "../../api/fault/mod.ts";

/** What a command line asks for. */
export type Command =
  | { readonly kind: "help"; readonly topic: CommandName | undefined }
  | { readonly kind: "version" }
  /** What tools ask a kubelet for. */
  | { readonly kind: "kubelet_version" }
  | {
    /** With flags of its own, or with those of the kubelet. */
    readonly kind: "run" | "kubelet";
    /** Flags of the agent, not looked at yet. */
    readonly args: readonly string[];
  }
  | InstallCommand
  | GetPodsCommand
  | GetObjectsCommand
  | GetEventsCommand
  | GetSourcesCommand
  | DescribePodCommand
  | DescribeObjectsCommand
  | ExplainPodCommand
  | ExplainServiceCommand
  | ApplyCommand
  | DeleteCommand
  | ChangeCommand
  | RolloutCommand
  | LogsCommand
  | ImagesCommand
  | TopCommand
  | DfCommand
  | AgentCommand & { readonly kind: "metrics" }
  | ValidateCommand;

/** `skerry install`. */
export interface InstallCommand {
  readonly kind: "install";
  /** Absolute path of the executable that the unit starts. */
  readonly program: string;
  /** Flags of the agent, not looked at yet. */
  readonly args: readonly string[];
}

/** `skerry validate`. */
export interface ValidateCommand {
  readonly kind: "validate";
  /** Files and directories; `-` is standard input. */
  readonly files: readonly string[];
  readonly unknownFields: UnknownFields;
  /** The networks that the agent will be given; `undefined` when they are not known. */
  readonly podNetworks?: readonly string[] | undefined;
}

/** How `get` writes. */
export type OutputFormat = "table" | "wide" | "json" | "yaml" | "name";

/** How `get` writes objects; the last two by what `expression` says. */
export type ObjectOutput = OutputFormat | "jsonpath" | "custom-columns";

/** A command that asks an agent. */
export interface AgentCommand {
  /** Flags that say where the agent is. */
  readonly location: readonly string[];
}

/** A command that lists what is in namespaces, once or again and again. */
interface ListCommand extends AgentCommand {
  /** `undefined` stands for all namespaces. */
  readonly namespace: string | undefined;
  readonly output: OutputFormat;
  readonly watch: boolean;
}

/** A command that lists objects of kinds that can be selected. */
interface SelectCommand extends Omit<ListCommand, "output"> {
  readonly output: ObjectOutput;
  /** A template or columns, as the format says. */
  readonly expression?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Which objects of a kind are meant. */
export interface ObjectTarget {
  readonly resource: Resource;
  /** Absent for all. */
  readonly name?: string;
}

/** `skerry get` of any kind but events and sources; of pods when others are wanted, too. */
export interface GetObjectsCommand extends SelectCommand {
  readonly kind: "get_objects";
  readonly targets: readonly ObjectTarget[];
}

/** `skerry get pods`. */
export interface GetPodsCommand extends SelectCommand {
  readonly kind: "get_pods";
  /** The manifest's name of one pod, or its full name. */
  readonly name: string | undefined;
}

/** `skerry get events`. */
export interface GetEventsCommand extends ListCommand {
  readonly kind: "get_events";
  /** The pod whose events are wanted, by the manifest's name or the full one; all when absent. */
  readonly pod: string | undefined;
}

/** `skerry get sources`. */
export interface GetSourcesCommand extends AgentCommand {
  readonly kind: "get_sources";
  readonly output: OutputFormat;
}

/** `skerry images`. */
export interface ImagesCommand extends AgentCommand {
  readonly kind: "images";
  readonly output: OutputFormat;
}

/** `skerry top`. */
export interface TopCommand extends AgentCommand {
  readonly kind: "top";
  readonly what: "pods" | "node";
  /** `undefined` stands for all namespaces. */
  readonly namespace: string | undefined;
}

/** `skerry df`. */
export interface DfCommand extends AgentCommand {
  readonly kind: "df";
}

/** A pod that a command is about. */
export interface NamedPod extends AgentCommand {
  /** The manifest's name of the pod, or its full name. */
  readonly name: string;
  readonly namespace: string;
}

/** `skerry describe pod`. */
export interface DescribePodCommand extends NamedPod {
  readonly kind: "describe_pod";
}

/** `skerry describe` of other kinds. */
export interface DescribeObjectsCommand extends AgentCommand {
  readonly kind: "describe_objects";
  readonly targets: readonly ObjectTarget[];
  readonly namespace: string;
}

/** `skerry explain service/NAME`. */
export interface ExplainServiceCommand extends AgentCommand {
  readonly kind: "explain_service";
  readonly namespace: string;
  readonly target: ObjectTarget;
}

/** `skerry explain`. */
export interface ExplainPodCommand extends NamedPod {
  readonly kind: "explain_pod";
  /** The whole report instead of sentences; absent for sentences. */
  readonly output?: "json" | "yaml";
}

/** A command that changes manifests, or looks at what becomes of a change. */
interface FolderCommand extends AgentCommand {
  readonly namespace: string;
  /** Whether it only says what would be done. */
  readonly dryRun: boolean;
}

/** `skerry apply` and `skerry diff`. */
export interface ApplyCommand extends FolderCommand {
  readonly kind: "apply" | "diff";
  /** Files and directories; `-` is standard input. */
  readonly files: readonly string[];
}

/** `skerry delete`. */
export interface DeleteCommand extends FolderCommand {
  readonly kind: "delete";
  /** Files that say what is to go; with none, the targets do. */
  readonly files: readonly string[];
  readonly targets: readonly ObjectTarget[];
}

/** What is to become of an object's manifest. */
export type ManifestWish =
  | { readonly kind: "scale"; readonly replicas: number }
  | {
    readonly kind: "image";
    /** The name of a container, or `*`, and its image. */
    readonly images: readonly (readonly [container: string, image: string])[];
  }
  | { readonly kind: "restart" | "pause" | "resume" };

/** `skerry scale`, `skerry set image`, `skerry rollout restart`, `pause` and `resume`. */
export interface ChangeCommand extends FolderCommand {
  readonly kind: "change";
  readonly wish: ManifestWish;
  readonly targets: readonly ObjectTarget[];
}

/** `skerry rollout status`, `history` and `undo`. */
export interface RolloutCommand extends FolderCommand {
  readonly kind: "rollout_status" | "rollout_history" | "rollout_undo";
  readonly targets: readonly ObjectTarget[];
  /** 0 when none is named. */
  readonly revision: number;
  /** 0 for no end. */
  readonly timeoutMs: number;
  /** Whether the status is said once and not waited for. */
  readonly once: boolean;
}

/** `skerry logs`. */
export interface LogsCommand extends AgentCommand {
  readonly kind: "logs";
  readonly pod: string;
  readonly namespace: string;
  readonly container: string | undefined;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** All lines when absent. */
  readonly tailLines: number | undefined;
  /** Only what was written in the last so many seconds. */
  readonly sinceSeconds?: number;
  /** Only what was written since; as RFC 3339 has it. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

/** The command, or every reason why there is none. */
export type CommandResult =
  | { readonly kind: "ok"; readonly command: Command }
  | {
    readonly kind: "refused";
    readonly topic: CommandName | undefined;
    readonly faults: readonly string[];
  };

/** The commands, as they are typed. */
export const COMMAND_NAMES = [
  "run",
  "kubelet",
  "get",
  "describe",
  "explain",
  "apply",
  "diff",
  "delete",
  "scale",
  "set",
  "rollout",
  "logs",
  "top",
  "df",
  "images",
  "image",
  "metrics",
  "version",
  "validate",
  "install",
] as const;

/** A command, as it is typed. */
export type CommandName = typeof COMMAND_NAMES[number];
