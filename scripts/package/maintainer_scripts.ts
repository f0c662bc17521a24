/**
 * What dpkg runs when the package comes, changes and goes. Pure.
 *
 * The steps for systemd are those that Debian's own tools write.
 *
 * @module
 */

/** The directories of an agent whose package is removed for good. */
export interface PackageDirectories {
  readonly rootDir: string;
  readonly runDir: string;
  readonly configDir: string;
}

const UNIT = "skerry.service";

/** After the files have come: the agent starts, or is exchanged. Pods run on. */
export const POSTINST: string = `#!/bin/sh
set -e
if [ "$1" = configure ] || [ "$1" = abort-upgrade ] || [ "$1" = abort-remove ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper unmask ${UNIT} >/dev/null || true
    if deb-systemd-helper --quiet was-enabled ${UNIT}; then
      deb-systemd-helper enable ${UNIT} >/dev/null || true
    else
      deb-systemd-helper update-state ${UNIT} >/dev/null || true
    fi
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if [ -n "$2" ]; then action=restart; else action=start; fi
    deb-systemd-invoke $action ${UNIT} >/dev/null || true
  fi
fi
`;

/** Before the files go. During an upgrade the old agent runs until the new one is there. */
export const PRERM: string = `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  if [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop ${UNIT} >/dev/null || true
  fi
  echo "skerry: what runs goes on running; to end pods, remove their manifests before the package" >&2
fi
`;

/**
 * After the files have gone. What pods have stored, and what running pods mount, is not for
 * a package to remove.
 */
export function postrm(
  { rootDir, runDir, configDir }: PackageDirectories,
): string {
  const [root, run, config] = [rootDir, runDir, configDir].map(shellWord);
  const runs =
    `skerry: ${rootDir} and ${runDir} stay, since pods may still run there`;
  const others =
    `skerry: ${rootDir} stays, since claims or files of others lie there`;
  return `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = remove ] && command -v deb-systemd-helper >/dev/null; then
  deb-systemd-helper mask ${UNIT} >/dev/null || true
fi
if [ "$1" = purge ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge ${UNIT} >/dev/null || true
    deb-systemd-helper unmask ${UNIT} >/dev/null || true
  fi
  rmdir ${config}/manifests ${config} 2>/dev/null || true
  if [ -n "$(ls -A ${root}/pods 2>/dev/null)" ]; then
    printf '%s\\n' ${shellWord(runs)} >&2
  else
    rm -rf --one-file-system ${run}
    rm -rf --one-file-system ${root}/checkpoints ${root}/image_manager
    rm -f ${root}/skerry.lock ${root}/graceful_node_shutdown_state
    rmdir ${root}/pods ${root}/claims/* ${root}/claims ${root} 2>/dev/null || true
    if [ -e ${root} ]; then
      printf '%s\\n' ${shellWord(others)} >&2
    fi
  fi
fi
`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
