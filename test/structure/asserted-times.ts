/** By what the linter says of it: tests that would fail on a machine that is slow enough. */
export const ASSERTED_TIMES = {
  'A test does not compare times: the order of events or faked timers assert it, a latency is measured by the bench.': [
    'const begun = Date.now();\nconst ms = Date.now() - begun;\nexpect(ms).toBeLessThan(50);',
    'expect(msSince(0)).toBeLessThan(50);\nfunction msSince(from: number) {\n  return performance.now() - from;\n}',
    'const begun = Date.now();\nexpect(Date.now() - begun < 50).toBe(true);',
    'const begun = new Date();\nexpect(new Date().getTime() - begun.getTime()).toBeLessThan(50);',
    'let ms = 0;\nms = performance.now() - ms;\nexpect(Math.round(ms)).not.toBeGreaterThan(50);',
    'const seen = { at: Date.now() };\nexpect(Date.now() - seen.at).toBeLessThanOrEqual(50);',
    'const waits: number[] = [];\nwaits.push(performance.now());\nexpect(Math.max(...waits)).toBeLessThan(50);',
    "import { performance as clock } from 'node:perf_hooks';\nexpect(clock.now()).toBeLessThan(50);",
    "import { hrtime } from 'node:process';\nexpect(Number(hrtime.bigint())).toBeLessThan(50);",
    'const { now } = performance;\nexpect(now()).toBeLessThan(50);',
    'expect(performance.measure("m", "a").duration).toBeLessThan(50);',
    'expect(Math.max(...rows.map(({ pause }) => pause))).toBeLessThan(15);',
    'expect(Date.parse(json.ended_at)).toBeGreaterThan(Date.now() - 1_000);',
    // oxlint-disable-next-line everturn/no-asserted-time -- an example
    'await query("select extract(epoch from ended_at - lag(ended_at) over ()) as s from turns");',
    // oxlint-disable-next-line everturn/no-asserted-time -- an example
    'await query("select now() - started_at < interval \'5 seconds\' as is_quick from turns");',
  ],
  'A test does not sleep: it waits for a condition (test/support/wait-until.ts).': [
    'await new Promise((resolve) => setTimeout(resolve, 50));',
    'await new Promise((resolve) => {\n  setTimeout(() => resolve(1), 50);\n});',
    'const { promise, resolve: goOn } = Promise.withResolvers();\nsetTimeout(goOn, 50);\nawait promise;',
    "import { setTimeout as sleep } from 'node:timers/promises';\nawait sleep(50);",
    "import timers from 'node:timers/promises';\nawait timers.setTimeout(50);",
    "import { scheduler } from 'node:timers/promises';\nawait scheduler.wait(50);",
    "import { promisify } from 'node:util';\nawait promisify(setTimeout)(50);",
    'await page.waitForTimeout(50);',
  ],
  'A limit below 30 s asserts how fast this machine is.': [
    'const LIMIT_MS = 5_000;\ntest.each([1])("is quick (%i)", () => undefined, LIMIT_MS);',
    'test.only("is quick", () => undefined, 5 * 1_000);',
    'jest.setTimeout(5_000);',
    'await waitUntil("it", () => true, 5_000);',
    'await fetch("/", { signal: AbortSignal.timeout(5_000) });',
    'await screen.findByText("it", {}, { timeout: 5_000 });',
    'execFileSync("program", [], { timeout: 5_000 });',
    'await Promise.race([work, new Promise((_, reject) => setTimeout(reject, 5_000))]);',
  ],
};
