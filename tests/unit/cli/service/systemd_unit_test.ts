/**
 * The systemd unit that follows from settings.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../../mod/config/mod.ts";
import { systemdUnit } from "../../../../mod/cli/service/mod.ts";

/** The unit of an agent with these flags, and this configuration file. */
async function unitOf(args: readonly string[], file = ""): Promise<string> {
  const parsed = await parseRunArguments(args, {
    cwd: () => "/",
    hostname: () => "edge1",
    readTextFile: () => Promise.resolve(file),
  });
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  return systemdUnit(parsed.config, { path: "/opt/sk", args });
}

/** The values that the unit has for a key, in its order. */
async function valuesOf(
  key: string,
  args: readonly string[],
  file = "",
): Promise<string[]> {
  const unit = await unitOf(args, file);
  return unit.split("\n").filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
}

/** What an agent without flags gets. */
const WHOLE = [
  "[Unit]",
  "Description=skerry, which runs Pod manifests on this machine",
  "Documentation=man:skerry(1)",
  "After=containerd.service crio.service network.target",
  "StartLimitIntervalSec=0",
  "",
  "[Service]",
  "Type=exec",
  "ExecStart=/opt/sk run",
  "ExecReload=/bin/kill -HUP $MAINPID",
  'ExecStop=/bin/sh -c "[ \\"$$(systemctl is-system-running)\\" != stopping ] || : >\\"$$1\\"" sh /run/skerry/machine-stopping',
  "TimeoutStopSec=30",
  "Restart=always",
  "RestartSec=2",
  "TimeoutStartSec=120",
  "OOMScoreAdjust=-999",
  "MemoryMax=512M",
  "TasksMax=256",
  "StateDirectory=skerry",
  "RuntimeDirectory=skerry",
  "LogsDirectory=pods",
  "StateDirectoryMode=0750",
  "RuntimeDirectoryMode=0700",
  "RuntimeDirectoryPreserve=yes",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "ProtectProc=invisible",
  "ProtectClock=yes",
  "ProtectHostname=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelTunables=yes",
  "ProtectControlGroups=yes",
  "LockPersonality=yes",
  "NoNewPrivileges=yes",
  "RemoveIPC=yes",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=no",
  "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallErrorNumber=EPERM",
  "CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_NET_BIND_SERVICE",
  "",
  "[Install]",
  "WantedBy=multi-user.target",
  "",
];

Deno.test("systemdUnit() writes a whole unit", async () => {
  deepStrictEqual((await unitOf([])).split("\n"), WHOLE);
});

const NOTIFY = "--notify-socket=/run/systemd/notify";

for (
  const [title, key, args, wanted] of [
    ["waits for readiness where it is told", "Type", [NOTIFY], ["notify"]],
    ["waits for nothing where it is not", "Type", [], ["exec"]],
    [
      "waits for signs of life as long as the agent",
      "WatchdogSec",
      [NOTIFY, "--watchdog-timeout=90500ms"],
      ["91"],
    ],
    ["waits for no signs of life that do not come", "WatchdogSec", [], []],
    [
      "keeps what running containers mount",
      "RuntimeDirectoryPreserve",
      [],
      ["yes"],
    ],
    ["has the usual state directory made", "StateDirectory", [], ["skerry"]],
    ["has the log directory made", "LogsDirectory", [], ["pods"]],
    ["opens no other directory", "ReadWritePaths", [], []],
    [
      "opens the directories that are named, each once",
      "ReadWritePaths",
      ["--root-dir=/data/sk", "--host-path-roots=/srv/a,/srv/a/b"],
      ["/data/sk", "/srv/a"],
    ],
    [
      "has a run directory of its own in its root directory",
      "RuntimeDirectory",
      ["--root-dir=/data/sk"],
      [],
    ],
    [
      "does not take a colon for a link",
      "ReadWritePaths",
      ["--root-dir=/var/lib/a:b"],
      ["/var/lib/a:b"],
    ],
    [
      "binds no socket, whose file is another one after a restart of the runtime",
      "ReadWritePaths",
      ["--container-runtime-endpoint=/srv/cri.sock"],
      [],
    ],
    [
      "starts what is asked for, word by word",
      "ExecStart",
      ["--node-labels=a=b", "--root-dir=/data/50% of $HOME"],
      [
        '/opt/sk run --node-labels=a=b "--root-dir=/data/50%% of $$HOME"',
      ],
    ],
    [
      "escapes what a quoted word may not have",
      "ReadWritePaths",
      ['--root-dir=/data/a"b\\c'],
      ['"/data/a\\"b\\\\c"'],
    ],
    ["hides temp directories", "PrivateTmp", [], ["yes"]],
    [
      "shows temp directories that are used",
      "PrivateTmp",
      ["--root-dir=/var/tmp/x"],
      ["no"],
    ],
    ["hides homes", "ProtectHome", ["--root-dir=/homes/x"], ["yes"]],
    [
      "shows homes that are used",
      "ProtectHome",
      ["--pod-manifest-path=/home/me"],
      ["no"],
    ],
    [
      "shows homes that have a login for registries",
      "ProtectHome",
      ["--image-credentials=/root/.docker/config.json"],
      ["no"],
    ],
    [
      "shows temp directories that a service of logins has its socket in",
      "PrivateTmp",
      ["--image-credential-endpoint=unix:///tmp/logins.sock"],
      ["no"],
    ],
    ["protects the cgroups", "ProtectControlGroups", [], ["yes"]],
    [
      "leaves the cgroups to the host view",
      "ProtectControlGroups",
      ["--host-view=/run/skerry/host"],
      ["no"],
    ],
    [
      "mounts the host view",
      "BindPaths",
      ["--host-view=/run/skerry/host"],
      ["-/sys/fs/cgroup:/run/skerry/host/cgroup"],
    ],
    [
      "mounts the host view at a place with blanks",
      "BindPaths",
      ["--host-view=/run/host view"],
      ['-/sys/fs/cgroup:"/run/host view/cgroup"'],
    ],
    [
      "mounts the host view at a place with a colon",
      "BindReadOnlyPaths",
      ["--host-view=/run/a:b"],
      ['-/sys/kernel/mm/hugepages:"/run/a:b/hugepages"'],
    ],
    [
      "shows the host view the pages of the machine",
      "BindReadOnlyPaths",
      ["--host-view=/run/skerry/host"],
      ["-/sys/kernel/mm/hugepages:/run/skerry/host/hugepages"],
    ],
    ["mounts nothing without a host view", "BindPaths", [], []],
    [
      "opens a host view elsewhere, and where the control socket lies",
      "ReadWritePaths",
      ["--host-view=/data/view", "--control-socket=/data/sock/s"],
      ["/data/sock", "/data/view"],
    ],
    [
      "leaves the kernel's settings to the host view",
      "ProtectKernelTunables",
      ["--host-view=/run/skerry/host"],
      ["no"],
    ],
    [
      "shows the home of root where it is used",
      "ProtectHome",
      ["--root-dir=/root"],
      ["no"],
    ],
    [
      "gives a log directory elsewhere no name",
      "LogsDirectory",
      ["--pod-logs-dir=/data/logs"],
      [],
    ],
    [
      "lets volumes have the bit of their group",
      "RestrictSUIDSGID",
      [],
      ["no"],
    ],
  ] as const
) {
  Deno.test(`systemdUnit() ${title}`, async () => {
    deepStrictEqual(await valuesOf(key, args), wanted);
  });
}

Deno.test("systemdUnit() writes no line that a flag or the file begins", async () => {
  const args = ["--root-dir=/a\nExecStartPre=/evil"];
  await rejects(valuesOf("ExecStart", args), RangeError);
  const file = `${HEAD}podLogsDir: "/a\\nExecStartPre=/evil"`;
  await rejects(valuesOf("ExecStart", ["--config=/c.yaml"], file), RangeError);
});

Deno.test("systemdUnit() reloads by the signal that the agent hears", async () => {
  deepStrictEqual(await valuesOf("ExecReload", []), [
    "/bin/kill -HUP $MAINPID",
  ]);
});

Deno.test("systemdUnit() starts again for ever", async () => {
  strictEqual((await valuesOf("Restart", []))[0], "always");
  strictEqual((await valuesOf("StartLimitIntervalSec", []))[0], "0");
});

const HEAD =
  "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

Deno.test("systemdUnit() says when the machine goes down, and gives the pods their time", async () => {
  const file = `${HEAD}shutdownGracePeriod: 2m`;
  const args = ["--config=/c.yaml", "--run-dir=/run/a b"];
  deepStrictEqual(await valuesOf("ExecStop", args, file), [
    '/bin/sh -c "[ \\"$$(systemctl is-system-running)\\" != stopping ] || : >\\"$$1\\"" sh "/run/a b/machine-stopping"',
  ]);
  deepStrictEqual(await valuesOf("TimeoutStopSec", args, file), ["150"]);
});

Deno.test("systemdUnit() says it also where no time is configured yet", async () => {
  strictEqual((await valuesOf("ExecStop", [])).length, 1);
  deepStrictEqual(await valuesOf("TimeoutStopSec", []), ["30"]);
});
