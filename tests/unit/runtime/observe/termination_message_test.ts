/**
 * The last words of a container.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { RuntimeContainerStatus } from "../../../../mod/cri/model/mod.ts";
import {
  lastLogText,
  terminationMessage,
} from "../../../../mod/runtime/observe/termination_message.ts";
import type { RuntimeFiles } from "../../../../mod/runtime/spec/ports.ts";
import {
  containerDetails,
  containerRow,
} from "../../../support/runtime_rows.ts";

const PATH = "/dev/termination-log";
const FILE = "/pods/u/containers/c/0badcafe";
const LOG = "/logs/shop_web_u/c/0.log";

function dead(
  rest: Partial<RuntimeContainerStatus> = {},
): RuntimeContainerStatus {
  const row = containerRow("u", {
    state: "exited",
    annotations: {
      "io.kubernetes.container.terminationMessagePath": PATH,
      "io.kubernetes.container.terminationMessagePolicy":
        "FallbackToLogsOnError",
    },
  });
  return containerDetails(row, {
    exitCode: 1,
    mounts: [{ containerPath: PATH, hostPath: FILE }],
    logPath: LOG,
    ...rest,
  });
}

function filesOf(contents: Readonly<Record<string, string>>): RuntimeFiles {
  const refuse = () => Promise.reject(new Error("not expected"));
  const readTail: RuntimeFiles["readTail"] = (path, maxBytes) => {
    const text = contents[path];
    if (text === undefined) return Promise.resolve(undefined);
    if (text === "denied") return Promise.reject(new Error("not granted"));
    return Promise.resolve(new TextEncoder().encode(text).slice(-maxBytes));
  };
  return {
    makeDirectory: refuse,
    write: refuse,
    writeNew: refuse,
    list: refuse,
    isDirectory: refuse,
    remove: refuse,
    readTail,
    readTailBelow: (root, path, maxBytes) =>
      readTail(`${root}/${path}`, maxBytes),
  };
}

const line = (text: string, tag = "F", stream = "stdout") =>
  `2026-01-01T00:00:00.000000000Z ${stream} ${tag} ${text}\n`;

const ROWS: readonly {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly status?: Partial<RuntimeContainerStatus>;
  readonly expected: string;
}[] = [
  {
    what: "the file",
    files: { [FILE]: "it broke" },
    expected: "it broke",
  },
  {
    what: "the runtime's message, then the file",
    files: { [FILE]: "it broke" },
    status: { message: "OOM" },
    expected: "OOM: it broke",
  },
  {
    what: "the end of a long file, at a whole character",
    files: { [FILE]: `xx${"é".repeat(2048)}x` },
    expected: `${"é".repeat(2047)}x`,
  },
  {
    what: "the log when the file is empty",
    files: { [FILE]: "", [LOG]: line("one") + line("two") },
    expected: "one\ntwo\n",
  },
  {
    what: "the log when the file is missing",
    files: { [LOG]: line("one", "F", "stderr") },
    expected: "one\n",
  },
  {
    what: "nothing from the log of a container that succeeded",
    files: { [LOG]: line("one") },
    status: { exitCode: 0 },
    expected: "",
  },
  {
    what: "nothing from the log of a container that could not run",
    files: { [LOG]: line("one") },
    status: { reason: "ContainerCannotRun", message: "no such file" },
    expected: "no such file",
  },
  {
    what: "the agent's file, and not a volume's that is mounted below it",
    files: { [FILE]: "it broke", "/volume/file": "a Secret" },
    status: {
      mounts: [
        { containerPath: PATH, hostPath: "/volume/file" },
        { containerPath: PATH, hostPath: FILE },
      ],
    },
    expected: "it broke",
  },
  {
    what: "the file, also where pods lie right below the root",
    files: { "/u/containers/c/0badcafe": "it broke" },
    status: {
      mounts: [{ containerPath: PATH, hostPath: "/u/containers/c/0badcafe" }],
    },
    expected: "it broke",
  },
  {
    what: "nothing of a volume's file when the agent could make none",
    files: { "/volume/file": "a Secret" },
    status: { mounts: [{ containerPath: PATH, hostPath: "/volume/file" }] },
    expected: "",
  },
  {
    what: "nothing of another container's file",
    files: { "/pods/u/containers/other/0badcafe": "not mine" },
    status: {
      mounts: [{
        containerPath: PATH,
        hostPath: "/pods/u/containers/other/0badcafe",
      }],
    },
    expected: "",
  },
  {
    what: "why the file cannot be read",
    files: { [FILE]: "denied" },
    expected: `Error on reading termination log ${FILE}: not granted`,
  },
];

for (const { what, files, status, expected } of ROWS) {
  Deno.test(`terminationMessage() is ${what}`, async () => {
    const message = await terminationMessage(filesOf(files), dead(status));
    strictEqual(message, expected);
  });
}

Deno.test("terminationMessage() is at most 4096 bytes of UTF-8, whatever the file holds (RT-28)", async () => {
  const garbage = new Uint8Array(1 << 20).fill(0xff);
  const files: RuntimeFiles = {
    ...filesOf({}),
    readTailBelow: (_root, _path, maxBytes) =>
      Promise.resolve(garbage.slice(-maxBytes)),
  };
  const message = await terminationMessage(files, dead());
  strictEqual(message, "\ufffd".repeat(1365));
});

for (
  const [what, written, expected] of [
    ["a short text whole, even if it begins within a character", [
      0xa9,
      0x61,
    ], "\ufffda"],
    [
      "of a text that may have been cut nothing of a character that was",
      [0xa9, ...new Array<number>(4095).fill(0x61)],
      "a".repeat(4095),
    ],
  ] as const
) {
  Deno.test(`terminationMessage() shows ${what}`, async () => {
    const files: RuntimeFiles = {
      ...filesOf({}),
      readTailBelow: () => Promise.resolve(new Uint8Array(written)),
    };
    strictEqual(await terminationMessage(files, dead()), expected);
  });
}

Deno.test("terminationMessage() reads 64 KiB of a log, and shows no line of which it has only the end", async () => {
  const half = line("x".repeat(70_000));
  const whole = line("y".repeat(10));
  const asked: number[] = [];
  const files = filesOf({});
  const read = (log: string) =>
    terminationMessage({
      ...files,
      readTail: (_path, maxBytes) => {
        asked.push(maxBytes);
        return Promise.resolve(new TextEncoder().encode(log).slice(-maxBytes));
      },
    }, dead());
  strictEqual(await read(half + whole), `${"y".repeat(10)}\n`);
  strictEqual(await read(line("short") + whole), `short\n${"y".repeat(10)}\n`);
  strictEqual(asked.join(), "65536,65536");
});

Deno.test("lastLogText() joins partial lines", () => {
  const bytes = new TextEncoder().encode(
    line("one ", "P") + line("line") + line("next"),
  );
  strictEqual(lastLogText(bytes, { cut: false }), "one line\nnext\n");
});

Deno.test("lastLogText() keeps the last 80 lines", () => {
  const text = Array.from({ length: 100 }, (_, n) => line(String(n))).join("");
  const last = lastLogText(new TextEncoder().encode(text), { cut: false });
  strictEqual(last.split("\n")[0], "20");
  strictEqual(last.split("\n").length, 81);
});

Deno.test("lastLogText() keeps the last 2048 bytes", () => {
  const bytes = new TextEncoder().encode(line("x".repeat(5000)));
  strictEqual(
    lastLogText(bytes, { cut: false }),
    `${"x".repeat(2047)}\n`,
  );
});

Deno.test("lastLogText() drops half a line", () => {
  const bytes = new TextEncoder().encode(`e end\n${line("whole")}`);
  strictEqual(lastLogText(bytes, { cut: true }), "whole\n");
});
