/**
 * The cases are those of upstream's labels package (TestSelectorParse, TestSelectorMatches,
 * TestParserLookahead), without `<` and `>`.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { matchesLabels } from "../../../../mod/api/access/mod.ts";
import { parseLabelSelector } from "../../../../mod/api/access/label_query.ts";

const READ: readonly (readonly [string, readonly string[]])[] = [
  ["", []],
  ["   ", []],
  ["x=a", ["x In a"]],
  ["x==a", ["x In a"]],
  ["x=a,y=b,z=c", ["x In a", "y In b", "z In c"]],
  ["x!=a,y=b", ["x NotIn a", "y In b"]],
  ["x=", ["x In "]],
  ["x= ", ["x In "]],
  ["x=,z= ", ["x In ", "z In "]],
  [" x = a ", ["x In a"]],
  ["x", ["x Exists"]],
  ["x,y", ["x Exists", "y Exists"]],
  ["!x", ["x DoesNotExist"]],
  ["x in (a)", ["x In a"]],
  ["x in ( a , b )", ["x In a b"]],
  ["x in (a,a,b)", ["x In a b"]],
  ["x in ()", ["x In "]],
  ["x in (,a)", ["x In  a"]],
  ["x in (a,),y notin (b)", ["x In a ", "y NotIn b"]],
  ["x notin (a,b),!y,z", ["x NotIn a b", "y DoesNotExist", "z Exists"]],
  ["example.com/in in (in,notin)", ["example.com/in In in notin"]],
];

for (const [text, wanted] of READ) {
  Deno.test(`parseLabelSelector() reads "${text}"`, () => {
    const { matchExpressions = [] } = parseLabelSelector(text);
    deepStrictEqual(
      matchExpressions.map(({ key, operator, values }) =>
        `${key} ${operator}${
          values === undefined ? "" : ` ${values.join(" ")}`
        }`
      ),
      wanted,
    );
  });
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["x=a||y=b", /found '=', wanted ',' or the end/],
  ["x==a==b", /found '==', wanted ',' or the end/],
  ["!x=a", /found '=', wanted ',' or the end/],
  ["x<1", /found '<', wanted '=', '==', '!=', 'in' or 'notin'/],
  ["x in a", /found 'a', wanted '\('/],
  ["x in (a", /found its end, wanted ',' or '\)'/],
  ["x in (a b)", /found 'b', wanted ',' or '\)'/],
  ["x in", /found its end, wanted '\('/],
  ["x,", /found its end, wanted a key/],
  [",x", /found ',', wanted a key/],
  ["!", /found its end, wanted a key/],
  ["=a", /found '=', wanted a key/],
  ["x y", /found 'y', wanted '='/],
  ["x=!", /found '!', wanted a value/],
];

for (const [text, message] of REFUSED) {
  Deno.test(`parseLabelSelector() refuses "${text}"`, () => {
    throws(() => parseLabelSelector(text), { reason: "BadRequest", message });
  });
}

const MATCHES: readonly (readonly [string, Record<string, string>, boolean])[] =
  [
    ["", { x: "y" }, true],
    ["x=y", { x: "y" }, true],
    ["x=y,z=w", { x: "y", z: "w" }, true],
    ["x!=y,z!=w", { x: "z", z: "a" }, true],
    ["x!=y", {}, true],
    ["notin=in", { notin: "in" }, true],
    ["x", { x: "z" }, true],
    ["!x", { y: "z" }, true],
    ["x=z", {}, false],
    ["x=y", { x: "z" }, false],
    ["x=y,z=w", { x: "w", z: "w" }, false],
    ["x!=y,z!=w", { x: "z", z: "w" }, false],
    ["x", { y: "z" }, false],
    ["!x", { x: "z" }, false],
    ["foo in (bar,baz)", { foo: "baz" }, true],
    ["foo notin (bar)", { foo: "bar" }, false],
  ];

for (const [text, labels, isMeant] of MATCHES) {
  const named = JSON.stringify(labels);
  Deno.test(`"${text}" ${isMeant ? "means" : "does not mean"} ${named}`, () => {
    strictEqual(matchesLabels(parseLabelSelector(text), labels), isMeant);
  });
}
