import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { ownPayer } from '../../../test/support/own-payer.ts';
import type { ScriptAnswer } from './messages.ts';
import { runScript, type ScriptHost } from './script-run.ts';

const ANSWER: ScriptAnswer = { status: 200, url: 'https://example.com/', headers: {}, body: 'slow' };
const WAITING = `export default async (args, { fetch }) => (await fetch('https://example.com/')).text()`;

/** A server that answers when it is told to, and counts the requests that it holds. */
function slowServer() {
  const answered = Promise.withResolvers<ScriptAnswer>();
  const arrivals = new EventEmitter();
  let requests = 0;
  const host: ScriptHost = {
    fetch: async () => {
      requests += 1;
      arrivals.emit(String(requests));
      return answered.promise;
    },
    log: () => undefined,
  };
  const haveArrived = async (count: number) => (requests < count ? once(arrivals, String(count)) : []);
  return { host, haveArrived, requests: () => requests, answer: () => answered.resolve(ANSWER) };
}

const run = async (orgId: string, source: string, { host }: { readonly host: ScriptHost }, use = {}) =>
  runScript({ source, args: {} }, host, { payer: ownPayer(orgId), signal: new AbortController().signal, ...use });

describe('scripts of one organization that wait for a slow server', () => {
  test('keep neither those of another nor its own from computing', async () => {
    const server = slowServer();
    const waiting = Array.from({ length: 6 }, async () => run('many', WAITING, server));
    await server.haveArrived(4);
    expect(await run('another', 'export default () => 1', server)).toBe('1');
    expect(
      await Promise.all(Array.from({ length: 3 }, async () => run('third', 'export default () => 2', server))),
    ).toEqual(['2', '2', '2']);
    // Two of them wait for a slot.
    expect(server.requests()).toBe(4);
    server.answer();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 6 }, () => '"slow"'));
  });

  test('take all their answers, however many come at once', async () => {
    const server = slowServer();
    const source = `export default async (args, { fetch }) => {
      const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => fetch('https://example.com/' + n)));
      return (await Promise.all(answers.map((answer) => answer.text()))).join();
    }`;
    const running = run('many', source, server);
    await server.haveArrived(4);
    server.answer();
    expect(await running).toBe('"slow,slow,slow,slow,slow"');
    expect(server.requests()).toBe(5);
  });
});

test('console writes into the log of the call, as log does', async () => {
  const lines: string[] = [];
  const host = { fetch: async () => ANSWER, log: (text: string) => void lines.push(text) };
  const source = `console.log('loaded');
    export default (args, { log }) => {
      console.info('a', { b: 1 }); console.warn('w'); console.error(new TypeError('bad').message); console.debug(2n);
      console.assert(1 === 1, 'no'); console.assert(false, 'yes'); console.time('t'); console.timeEnd('t'); log('end');
      console.groupCollapsed('g'); console.countReset('c'); console.groupEnd(); console.log(NaN, -1 / 0, null);
      return typeof console.table;
    }`;
  expect(await run('console', source, { host })).toBe('"function"');
  expect(lines).toEqual([
    'loaded',
    'a {"b":1}',
    'w',
    'bad',
    '2',
    'Assertion failed: yes',
    'end',
    'g',
    'NaN -Infinity null',
  ]);
});

test('a script that never ends by itself gives its slot to compute to the next', async () => {
  const server = slowServer();
  const endless = Array.from({ length: 2 }, async () =>
    run('busy', 'for (;;);', server, { computingMs: 200 }).catch(String),
  );
  const after = run('busy', 'export default () => 3', server);
  expect(await Promise.all(endless)).toEqual([
    expect.stringContaining('computed for more than 0.2 seconds'),
    expect.stringContaining('computed for more than 0.2 seconds'),
  ]);
  expect(await after).toBe('3');
});
