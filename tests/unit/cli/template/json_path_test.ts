/**
 * What JSONPath templates and custom columns find.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  customCell,
  readCustomColumns,
  readTemplate,
  renderJsonPath,
} from "../../../../mod/cli/template/mod.ts";

const LIST = {
  kind: "List",
  items: [
    {
      name: "a",
      n: 1,
      labels: { "app.k/x": "web" },
      ips: ["1", "2", "3"],
      on: true,
      of: null,
    },
    { name: "b", n: 20, labels: { app: "db" }, ips: [], on: false },
    { name: "c", n: 3.5, ips: ["9"], deep: { name: "d" } },
  ],
};

for (
  const [template, wanted] of [
    ["", ""],
    ["plain", "plain"],
    ["{.kind}", "List"],
    ["{ .kind }", "List"],
    ["{$.kind}", "List"],
    ["{@.kind}", "List"],
    ["kind={.kind};", "kind=List;"],
    ["{.missing}", ""],
    ["{.missing.deeper}", ""],
    ["{.kind.length}", ""],
    ["{.items[0].name}", "a"],
    ["{.items[-1].name}", "c"],
    ["{.items[-2].name}", "b"],
    ["{.items[9].name}", ""],
    ["{.items[-9].name}", ""],
    ["{.items[*].name}", "a b c"],
    ["{.items.*.name}", "a b c"],
    ["{.items[0:2].name}", "a b"],
    ["{.items[1:].name}", "b c"],
    ["{.items[:1].name}", "a"],
    ["{.items[:-1].name}", "a b"],
    ["{.items[-2:].name}", "b c"],
    ["{.items[0:3:2].name}", "a c"],
    ["{.items[::2].name}", "a c"],
    ["{.items[0,2].name}", "a c"],
    ["{.items[0]['name','n']}", "a 1"],
    ['{.items[0]["name"]}', "a"],
    ["{['kind']}", "List"],
    ["{.items[0].labels['app.k/x']}", "web"],
    ["{.items[0].labels.app\\.k/x}", "web"],
    ["{.items[0].ips}", '["1","2","3"]'],
    ["{.items[0].on} {.items[0].of} {.items[2].n}", "true null 3.5"],
    ["{..name}", "a b c d"],
    ["{.items[2]..name}", "c d"],
    ["{.items[0]..[0]}", "1"],
    ["{range .items[*]}{.name}={.n}{'\\n'}{end}", "a=1\nb=20\nc=3.5\n"],
    ['{range .items[*]}{.name}{"\\t"}{end}', "a\tb\tc\t"],
    [
      "{range .items[*]}{.name}:{range .ips[*]}{@},{end};{end}",
      "a:1,2,3,;b:;c:9,;",
    ],
    ["{range .items[*]}{.name}{$.kind} {end}", "aList bList cList "],
    ["{.items[*].name}{'\\r\\\\x'}", "a b c\r\\x"],
    ["{.items[?(@.name=='b')].n}", "20"],
    ['{.items[?(@.name != "b")].name}', "a c"],
    ["{.items[?(@.n>3)].name}", "b c"],
    ["{.items[?(@.n >= 3.5)].name}", "b c"],
    ["{.items[?(@.n<=1)].name}", "a"],
    ["{.items[?(@.n < 20)].name}", "a c"],
    ["{.items[?(@.deep)].name}", "c"],
    ["{.items[?(@.on==true)].name}", "a"],
    ["{.items[?(@.on==false)].name}", "b"],
    ["{.items[?(@.of==null)].name}", "a"],
    ["{.items[?(@.n==-1)].name}", ""],
    ["{.items[?(@.name>'a')].name}", "b c"],
    ["{.items[?(@.name>1)].name}", ""],
    ["{.items[?(@.n<'9')].name}", ""],
    ["{.items[?('0'<@.n)].name}", ""],
    ["{.items[?(@.ips[0]=='9')].name}", "c"],
    ["{.items[?(@.missing=='9')].name}", ""],
    ["{.items[?('a'==@.name)].name}", "a"],
    ["{.items[?(@.ips[?(@=='9')])].name}", "c"],
    ["{.items[0].ips[?(@ == '2')]}", "2"],
    ["{.kind .items[0].name}", "Lista"],
  ] as const
) {
  Deno.test(`renderJsonPath() of ${JSON.stringify(template)}`, () => {
    strictEqual(renderJsonPath(template, LIST), wanted);
  });
}

for (
  const [template, wanted] of [
    ["{.kind", "'}'"],
    ["{}", "a path such as .metadata.name"],
    ["{kind}", "a path such as .metadata.name"],
    ["{.items[}", "a number, a name in quotes or *"],
    ["{.items[0}", "']'"],
    ["{.items[x]}", "a number, a name in quotes or *"],
    ["{.items[0:2:0]}", "a step of at least 1"],
    ["{.items[0:2:-1]}", "a step of at least 1"],
    ["{.items[?(@.a==]}", "a path such as .metadata.name"],
    ["{.items[?(@.a=='x']}", "')]'"],
    ["{.items[?(@.a==1)}", "')]'"],
    ["{range .items[*]}", "{end}"],
    ["{end}", "a range before this end"],
    ["{'a}", "the closing '"],
    ["{.a.}", ""],
    ["{..}", "the name of a field"],
    ["{" + "range .a}{".repeat(40), "fewer ranges in ranges"],
    ["{.a" + "[?(@.a".repeat(40), "fewer filters in filters"],
  ] as const
) {
  Deno.test(`readTemplate() refuses ${JSON.stringify(template)}`, () => {
    if (wanted === "") return void readTemplate(template);
    throws(() => readTemplate(template), (error) => {
      ok(error instanceof SyntaxError);
      ok(error.message.endsWith(`, wanted ${wanted}`), error.message);
      ok(error.message.startsWith("Cannot read the template"));
      return true;
    });
  });
}

for (
  const [what, open, close] of [
    ["filters", "[?(@.a", ")]"],
    ["ranges", "}{range .a", "}{end"],
  ] as const
) {
  Deno.test(`readTemplate() takes 32 ${what} in each other, and no more`, () => {
    const nested = (count: number) =>
      `{.a${open.repeat(count)}${close.repeat(count)}}`;
    readTemplate(nested(32));
    throws(() => readTemplate(nested(33)), /wanted fewer/);
  });
}

const seed = Date.now() & 0x7fffffff;
Deno.test(`readTemplate() says of any text what it is, or why it is none (seed ${seed})`, () => {
  const pieces = fc.constantFrom(
    ..."{}[]()?@.$*:'\"\\,-09a= ",
    "range ",
    "end",
  );
  const texts = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      try {
        strictEqual(typeof renderJsonPath(text, LIST), "string");
      } catch (error) {
        ok(error instanceof SyntaxError, String(error));
      }
    }),
    { seed, numRuns: 3000 },
  );
});

Deno.test("readCustomColumns() reads headings with their paths, with a dot or without, in braces or not", () => {
  const columns = readCustomColumns(
    "NAME:.name,IPS:ips[*],N:{.n},TWO:.ips[0,1],ALL:.,GONE:.gone",
  );
  deepStrictEqual(columns.map(({ heading }) => heading), [
    "NAME",
    "IPS",
    "N",
    "TWO",
    "ALL",
    "GONE",
  ]);
  const [first] = LIST.items;
  deepStrictEqual(columns.map((each) => customCell(each, first)), [
    "a",
    "1,2,3",
    "1",
    "1,2",
    JSON.stringify(first),
    "<none>",
  ]);
});

for (
  const [text, wanted] of [
    ["", /found none/],
    ["NAME", /Cannot read the column "NAME": wanted HEADING:\.path/],
    [":.name", /Cannot read the column/],
    ["NAME:", /Cannot read the column/],
    ["A:.a,", /Cannot read the column ""/],
    ["A:.a b", /wanted the end/],
    ["A:{.ab", /wanted the name of a field/],
    ["A:.ab}", /found "}", wanted the end/],
    ["A:.a[", /found its end, wanted /],
  ] as const
) {
  Deno.test(`readCustomColumns() refuses "${text}"`, () => {
    throws(() => readCustomColumns(text), wanted);
  });
}
