import { describe, expect, test } from '@jest/globals';
import { ScriptEngine } from './engine.ts';
import { MAX_COMPUTING_MS } from './messages.ts';

/** Runs a module that makes no request; returns how it ended. */
async function end(source: string, computingMs = MAX_COMPUTING_MS) {
  const engine = await ScriptEngine.create({ send: () => undefined, log: () => undefined });
  return engine.start({ type: 'start', source, args: '{}', computingMs });
}

const body = (code: string) => `export default async function (args, { fetch }) {\n${code}\n}`;

test.each([
  ['no function', 'export default 5', 'must have a default export that is a function'],
  ['an import', `import fs from 'node:fs'; export default () => 1`, ''],
  ['a later import', `export default async () => { await import('node:fs') }`, ''],
  ['a value that is no JSON', 'export default async () => 10n', 'BigInt'],
  ['a promise that waits for ever', 'export default () => new Promise(() => {})', 'something that never happens'],
  ['a thenable that waits for ever', 'export default () => ({ then() {} })', 'something that never happens'],
  ['a thrown null', 'export default () => { throw null }', 'null'],
  ['an error that cannot be read', `export default () => { throw { toString() { throw 1 } } }`, ''],
  ['no export', 'const a = 1', 'must have a default export'],
  ['a syntax error', 'export default async function ( {', 'SyntaxError'],
  ['a missing name', 'export default async () => process.env', "'process' is not defined"],
  ['a reference to the module loader', 'export default async () => require("fs")', "'require' is not defined"],
  ['a circle', 'export default async () => { const a = {}; a.a = a; return a }', 'circular'],
])('a script with %s fails in words', async (_what, source, words) => {
  expect(await end(source)).toMatchObject({ issue: expect.stringContaining(words) });
});

test.each([
  ['computes without end', 'while (true);'],
  ['reads text by a pattern without end', `return /^(a+)+$/.test('a'.repeat(60) + '!')`],
  ['computes without end in jobs', 'const f = () => Promise.resolve().then(f); await f()'],
  ['catches what would stop it', 'while (true) { try { while (true); } catch {} }'],
  ['makes JSON without end', 'return { toJSON() { while (true); } }'],
  ['has a getter without end', 'return { get then() { while (true); } }'],
])('a script that %s is stopped when it may not compute for longer', async (_what, code) => {
  const issue = 'The script computed for more than 0.05 seconds';
  expect(await end(body(code), 50)).toEqual({ issue, kind: 'timeout' });
});

test.each([
  ['nests without end', 'const f = () => f() + 1; return f()'],
  ['nests JSON without end', `return JSON.parse('['.repeat(1e6))`],
  ['nests a result without end', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a'],
  ['returns too much', `return 'x'.repeat(2e6)`],
])('a script that %s is stopped', async (_what, code) => {
  expect(await end(body(code))).toMatchObject({ issue: expect.any(String) });
});

describe('the class of a failure', () => {
  test.each([
    ['not_found', `throw Object.assign(new Error('There is no such word'), { class: 'not_found' })`],
    ['-', `throw new Error('why')`],
    ['-', `throw Object.assign(new Error('odd'), { class: 'anything else' })`],
  ])('is %s where a script says %s', async (kind, code) => {
    expect(await end(body(code))).toMatchObject({ issue: expect.any(String), kind });
  });

  test('is that of the request which has caused it', async () => {
    const engine = await ScriptEngine.create({ send: () => undefined, log: () => undefined });
    const source = body(
      `try { await fetch('https://example.com/') } catch (cause) { throw new Error('no', { cause }) }`,
    );
    expect(engine.start({ type: 'start', source, args: '{}', computingMs: MAX_COMPUTING_MS })).toBeUndefined();
    const failure = { kind: 'denied', message: 'not there' } as const;
    expect(engine.settle(0, { failure })).toMatchObject({ issue: expect.stringContaining('no'), kind: 'denied' });
  });
});
