/**
 * The text that Prometheus reads.
 *
 * @module
 */

import {
  deepStrictEqual,
  doesNotMatch,
  match,
  strictEqual,
  throws,
} from "node:assert/strict";
import { InvariantError } from "../../../../mod/base/invariant.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/metrics.ts";

Deno.test("MetricsRegistry.render() is empty without metrics", () => {
  strictEqual(new MetricsRegistry().render(), "");
});

Deno.test("MetricsRegistry.render() writes metrics by name, with help and type", () => {
  const metrics = new MetricsRegistry();
  metrics.gauge("pods", "Pods on this node.").set(3);
  metrics.counter("errors_total", "Errors.").inc();
  strictEqual(
    metrics.render(),
    `# HELP errors_total Errors.
# TYPE errors_total counter
errors_total 1
# HELP pods Pods on this node.
# TYPE pods gauge
pods 3
`,
  );
});

Deno.test("Counter without labels shows zero before it counts", () => {
  const metrics = new MetricsRegistry();
  metrics.counter("errors_total", "Errors.");
  match(metrics.render(), /^errors_total 0$/m);
});

Deno.test("Counter.inc() counts each label set apart", () => {
  const metrics = new MetricsRegistry();
  const calls = metrics.counter("calls_total", "Calls.", ["method", "code"]);
  calls.inc({ method: "a", code: "0" });
  calls.inc({ code: "0", method: "a" }, 2.5);
  calls.inc({ method: "a,0", code: "" });
  match(metrics.render(), /^calls_total\{method="a",code="0"\} 3\.5$/m);
  match(metrics.render(), /^calls_total\{method="a,0",code=""\} 1$/m);
});

Deno.test("Counter.inc() refuses to fall", () => {
  const counter = new MetricsRegistry().counter("c", "C.");
  throws(() => counter.inc({}, -1), RangeError);
  throws(() => counter.inc({}, NaN), RangeError);
});

Deno.test("Counter.inc() refuses labels that are not the metric's", () => {
  const counter = new MetricsRegistry().counter("c", "C.", ["a"]);
  throws(() => counter.inc(), TypeError);
  throws(() => counter.inc({ b: "1" }), TypeError);
  throws(() => counter.inc({ a: "1", b: "1" }), TypeError);
});

Deno.test("MetricsRegistry.render() escapes help and label values", () => {
  const metrics = new MetricsRegistry();
  metrics.counter("c", 'Back\\slash, "quote",\nline.', ["l"])
    .inc({ l: 'a\\b"c\nd' });
  strictEqual(
    metrics.render(),
    `# HELP c Back\\\\slash, "quote",\\nline.
# TYPE c counter
c{l="a\\\\b\\"c\\nd"} 1
`,
  );
});

Deno.test("Gauge.delete() forgets a label set", () => {
  const metrics = new MetricsRegistry();
  const gauge = metrics.gauge("g", "G.", ["pod"]);
  gauge.set(1, { pod: "a" });
  gauge.set(2, { pod: "b" });
  gauge.delete({ pod: "a" });
  gauge.delete({ pod: "unknown" });
  doesNotMatch(metrics.render(), /pod="a"/);
  match(metrics.render(), /^g\{pod="b"\} 2$/m);
});

Deno.test("Gauge.set() writes numbers as Prometheus spells them", () => {
  const metrics = new MetricsRegistry();
  const gauge = metrics.gauge("g", "G.", ["v"]);
  for (const value of [Infinity, -Infinity, NaN, 1e21, 0.5]) {
    gauge.set(value, { v: `${value}` });
  }
  for (const text of ["+Inf", "-Inf", "NaN", "1e+21", "0.5"]) {
    match(metrics.render(), new RegExp(`} ${text.replace("+", "\\+")}$`, "m"));
  }
});

Deno.test("MetricsRegistry.histogram() has the buckets of Prometheus for seconds unless told others", () => {
  const metrics = new MetricsRegistry();
  metrics.histogram("h", "H.").observe(0.02);
  deepStrictEqual(
    [...metrics.render().matchAll(/le="([^"]+)"} (\d)/g)]
      .map(([, le, count]) => `${le} ${count}`),
    ["0.005 0", "0.01 0", "0.025 1", "0.05 1", "0.1 1", "0.25 1"]
      .concat(["0.5 1", "1 1", "2.5 1", "5 1", "10 1", "+Inf 1"]),
  );
});

Deno.test("Histogram.observe() fills cumulative buckets, sum and count", () => {
  const metrics = new MetricsRegistry();
  const histogram = metrics.histogram("d_seconds", "D.", {
    buckets: [0.1, 1, 10, Infinity],
    labelNames: ["op"],
  });
  for (const value of [0.1, 0.5, 1, 5, 100, NaN]) {
    histogram.observe(value, { op: "x" });
  }
  strictEqual(
    metrics.render(),
    `# HELP d_seconds D.
# TYPE d_seconds histogram
d_seconds_bucket{op="x",le="0.1"} 1
d_seconds_bucket{op="x",le="1"} 3
d_seconds_bucket{op="x",le="10"} 4
d_seconds_bucket{op="x",le="+Inf"} 5
d_seconds_sum{op="x"} 106.6
d_seconds_count{op="x"} 5
`,
  );
});

Deno.test("Histogram without labels shows zeros before it observes", () => {
  const metrics = new MetricsRegistry();
  metrics.histogram("h", "H.", { buckets: [1] });
  match(
    metrics.render(),
    /h_bucket\{le="1"\} 0\nh_bucket\{le="\+Inf"\} 0\nh_sum 0\nh_count 0\n/,
  );
});

Deno.test("MetricsRegistry gives the same metric for the same name", () => {
  const metrics = new MetricsRegistry();
  strictEqual(
    metrics.counter("c", "C.", ["a"]),
    metrics.counter("c", "", ["a"]),
  );
  strictEqual(metrics.gauge("g", "G."), metrics.gauge("g", "G."));
  const options = { buckets: [1] };
  strictEqual(
    metrics.histogram("h", "", options),
    metrics.histogram("h", "", options),
  );
});

Deno.test("MetricsRegistry refuses a name that means something else already", () => {
  const metrics = new MetricsRegistry();
  metrics.counter("c", "C.");
  throws(() => metrics.gauge("c", "C."), InvariantError);
  throws(() => metrics.counter("c", "C.", ["a"]), InvariantError);
});

Deno.test("MetricsRegistry refuses malformed metrics", () => {
  const metrics = new MetricsRegistry();
  throws(() => metrics.counter("no-dash", ""), InvariantError);
  throws(() => metrics.counter("c", "", ["__reserved"]), InvariantError);
  throws(() => metrics.histogram("h", "", { buckets: [2, 1] }), InvariantError);
  throws(() => metrics.histogram("h", "", { buckets: [NaN] }), InvariantError);
  throws(
    () => metrics.histogram("h", "", { buckets: [1], labelNames: ["le"] }),
    InvariantError,
  );
});

Deno.test("MetricsRegistry folds label sets beyond 1000 into other", () => {
  const metrics = new MetricsRegistry();
  const counter = metrics.counter("c", "C.", ["pod", "node"]);
  for (let i = 0; i < 1_500; i++) counter.inc({ pod: `${i}`, node: "n" });
  counter.inc({ pod: "5", node: "n" });
  const text = metrics.render();
  match(text, /^c\{pod="other",node="other"\} 500$/m);
  match(text, /^c\{pod="5",node="n"\} 2$/m);
  strictEqual(text.split("\n").length, 2 + 1_001 + 1);
});

Deno.test("MetricsRegistry makes room when a gauge forgets", () => {
  const metrics = new MetricsRegistry();
  const gauge = metrics.gauge("g", "G.", ["pod"]);
  for (let i = 0; i < 1_000; i++) gauge.set(i, { pod: `${i}` });
  gauge.delete({ pod: "0" });
  gauge.set(7, { pod: "new" });
  match(metrics.render(), /^g\{pod="new"\} 7$/m);
});

Deno.test("Counter.delete() and Histogram.delete() forget a label set", () => {
  const metrics = new MetricsRegistry();
  const counter = metrics.counter("c_total", "Help.", ["pod"]);
  const histogram = metrics.histogram("h_seconds", "Help.", {
    buckets: [1],
    labelNames: ["pod"],
  });
  for (const pod of ["a", "b"]) {
    counter.inc({ pod });
    histogram.observe(1, { pod });
  }
  counter.delete({ pod: "a" });
  histogram.delete({ pod: "a" });
  const text = metrics.render();
  doesNotMatch(text, /pod="a"/);
  match(text, /^c_total\{pod="b"\} 1$/m);
  match(text, /^h_seconds_count\{pod="b"\} 1$/m);
});

Deno.test("MetricsRegistry holds more label sets where a metric is made for more", () => {
  const metrics = new MetricsRegistry();
  const counter = metrics.counter("c_total", "Help.", {
    labelNames: ["pod"],
    maxLabelSets: 1200,
  });
  for (let at = 0; at < 1300; at++) counter.inc({ pod: `p${at}` });
  match(metrics.render(), /^c_total\{pod="p1199"\} 1$/m);
  match(metrics.render(), /^c_total\{pod="other"\} 100$/m);
});
