/**
 * Completions for three shells. Pure.
 *
 * @module
 */

import {
  type CommandFlag,
  type CommandLine,
  commandLines,
} from "./command_flags.ts";

/** Asks the agent for names; without one there are none. */
const POD_NAMES = "skerry get pods -A -o name 2>/dev/null";

/** For bash, with or without the package bash-completion. */
export function bashCompletion(): string {
  const lines = commandLines();
  const cases = lines.map((line) =>
    `    ${line.name})
      flags="${line.flags.flatMap(spellings).join(" ")}"
      words="${bashWords(line)}"
      ;;`
  ).join("\n");
  const values = uniqueFlags(lines).filter(({ value }) => value !== "none")
    .map((flag) =>
      `    ${spellings(flag).join("|")}) ${bashValue(flag)}; return ;;`
    ).join("\n");
  return `# Completion of skerry for bash; made from its help.
_skerry() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local flags="" words=""
  COMPREPLY=()
  case $before in
${values}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${
    lines.map(({ name }) => name).join(" ")
  } help --help --version" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$flags --help" -- "$current")) ;;
    *)
      case $words in
        FILES) COMPREPLY=($(compgen -f -- "$current")) ;;
        PODS) COMPREPLY=($(compgen -W "$(${POD_NAMES})" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
      esac
      ;;
  esac
}
complete -F _skerry skerry
`;
}

function bashWords({ operands }: CommandLine): string {
  if (operands === "none") return "";
  if (operands === "files") return "FILES";
  return operands === "pods" ? "PODS" : operands.join(" ");
}

function bashValue({ value, choices }: CommandFlag): string {
  if (choices.length > 0) {
    return `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current"))`;
  }
  if (value === "file") return 'COMPREPLY=($(compgen -f -- "$current"))';
  return value === "directory"
    ? 'COMPREPLY=($(compgen -d -- "$current"))'
    : ":";
}

/** One flag may belong to several commands, and takes the same value in all. */
function uniqueFlags(lines: readonly CommandLine[]): readonly CommandFlag[] {
  const all = lines.flatMap(({ flags }) => flags);
  return [...new Map(all.map((flag) => [flag.name, flag])).values()];
}

function spellings({ name, letter }: CommandFlag): string[] {
  return letter === undefined ? [`--${name}`] : [`-${letter}`, `--${name}`];
}

/** For zsh. */
export function zshCompletion(): string {
  const lines = commandLines();
  const commands = lines.map(({ name, help }) =>
    `    ${quoted(`${name}:${help}`)}`
  ).join("\n");
  const cases = lines.map((line) => {
    const specs = [
      ...line.flags.flatMap(zshFlag),
      ...zshOperands(line),
    ].map((spec) => `        ${quoted(spec)}`).join(" \\\n");
    return `    ${line.name})
      _arguments${specs === "" ? "" : ` \\\n${specs}`}
      ;;`;
  }).join("\n");
  return `#compdef skerry
# Completion of skerry for zsh; made from its help.
_skerry_pods() {
  local -a names
  names=(\${(f)"$(${POD_NAMES})"})
  compadd -a names
}
_skerry() {
  local -a commands
  commands=(
${commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases}
  esac
}
_skerry "$@"
`;
}

function zshFlag(flag: CommandFlag): string[] {
  const { value, choices } = flag;
  const help = flag.help.replaceAll(/[[\]:\\]/g, "\\$&");
  const action = choices.length > 0
    ? `:value:(${choices.join(" ")})`
    : value === "none"
    ? ""
    : `:value:${
      value === "word" ? "" : value === "file" ? "_files" : "_directories"
    }`;
  return spellings(flag).map((spelling) => {
    const join = value !== "none" && spelling.startsWith("--") ? "=" : "";
    return `*${spelling}${join}[${help}]${action}`;
  });
}

function zshOperands({ operands }: CommandLine): string[] {
  if (operands === "none") return [];
  if (operands === "files") return ["*:file:_files"];
  return operands === "pods"
    ? ["*:pod:_skerry_pods"]
    : [`1:kind:(${operands.join(" ")})`, "*:pod:_skerry_pods"];
}

/** For fish. */
export function fishCompletion(): string {
  const lines = commandLines();
  const names = lines.map(({ name }) => name).join(" ");
  const first = `-n "not __fish_seen_subcommand_from ${names}"`;
  return [
    "# Completion of skerry for fish; made from its help.",
    "complete -c skerry -f",
    ...lines.map(({ name, help }) =>
      `complete -c skerry ${first} -a ${name} -d ${quoted(help)}`
    ),
    ...lines.flatMap((line) => {
      const here = `-n "__fish_seen_subcommand_from ${line.name}"`;
      return [
        ...line.flags.map((flag) =>
          `complete -c skerry ${here} ${fishFlag(flag)}`
        ),
        ...fishOperands(line).map((words) =>
          `complete -c skerry ${here} ${words}`
        ),
      ];
    }),
    "",
  ].join("\n");
}

function fishFlag({ name, letter, value, choices, help }: CommandFlag): string {
  return [
    `-l ${name}`,
    ...(letter === undefined ? [] : [`-s ${letter}`]),
    ...(value === "none" ? [] : value === "word" ? ["-x"] : ["-r -F"]),
    ...(choices.length === 0 ? [] : [`-a ${quoted(choices.join(" "))}`]),
    `-d ${quoted(help)}`,
  ].join(" ");
}

function fishOperands({ operands }: CommandLine): string[] {
  if (operands === "none") return [];
  if (operands === "files") return ["-F"];
  return operands === "pods"
    ? [`-a ${quoted(`(${POD_NAMES})`)}`]
    : [`-a ${quoted(operands.join(" "))}`];
}

/** As all three shells read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
