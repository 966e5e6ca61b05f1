import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, jest, test } from '@jest/globals';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { casesOf } from '../../../test/support/in-length.ts';
import { ownPayer } from '../../../test/support/own-payer.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { CRASH_MS, KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';
import { compute } from './compute.ts';
import { LOW_PRIORITY, startChild } from './start-child.ts';
import { calculateTime } from './calculate-time.ts';

const never = new AbortController().signal;
const mine = { payer: ownPayer('mine'), signal: never };

async function math(expression: string, signal = never, orgId = 'mine'): Promise<unknown> {
  return JSON.parse(
    await compute({ kind: 'math', expression, variables: {}, precision: 14 }, { payer: ownPayer(orgId), signal }),
  );
}

async function query(expression: string, data: unknown = { a: [1, 2, { b: 3 }] }): Promise<unknown> {
  return queryText(expression, JSON.stringify(data));
}

async function queryText(expression: string, json: string): Promise<unknown> {
  return JSON.parse(await compute({ kind: 'json_query', expression, json }, mine));
}

const mathJob = (expression: string) => JSON.stringify({ kind: 'math', expression, variables: {}, precision: 14 });
const BUSY = mathJob('bigint(7) ^ bigint(100000000)');

// An ended process stays in the list until its parent, by then that of all orphans, has reaped it.
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
}

/** Returns whether a child process is running. */
function isCalculating(): true | undefined {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'ppid=,stat=,comm='], { encoding: 'utf8' });
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const own = String(process.pid);
  return lines.some(([parent, state, name]) => parent === own && state?.startsWith('R') && name !== 'ps') || undefined;
}

describe('compute', () => {
  test.each([
    ['1 + 1', '2'],
    ['0.1 + 0.2', '0.3'],
    ['5 inch to cm', '12.7 cm'],
    ['x = 3\nx + 1', '4'],
    ['det([1, 2; 3, 4])', '-2'],
    ['f(x) = x^2; f(4)', '16'],
    ['9^9^9^9', 'Infinity'],
  ])('calculates %j', async (expression, result) => {
    expect(await math(expression)).toBe(result);
  });

  // What else is refused: evaluate-math.test.ts.
  test.each(['import({a: 1})', 'cos.constructor("return process")', 'f(x) = f(x + 1); f(1)', '1 +'])(
    'refuses %s',
    async (expression) => {
      await expect(math(expression)).rejects.toBeInstanceOf(ToolFailure);
      expect(await math('1 + 1')).toBe('2');
    },
  );

  test('lets no expression change what the next one finds', async () => {
    await math('x = 5; sin(x) = 1; pi = 3').catch(() => undefined);
    expect(await math('pi')).toBe('3.1415926535898');
    await expect(math('x')).rejects.toThrow('x');
    await query('($sum := function($x){ 7 }; 1)');
    expect(await query('$sum([1, 2])')).toBe(3);
  });

  test.each([
    ['a[2].b', 3],
    ['$sum(a[$type($) = "number"])', 3],
    ['nothing', null],
    ['a.constructor', null],
    ['a.__proto__', null],
    ['$lookup(a[2], "__proto__")', null],
    ['$keys({"toString": 1})', 'toString'],
  ])('queries %s', async (expression, result) => {
    expect(await query(expression)).toEqual(result);
  });

  test('leaves the prototypes alone whatever a query does', async () => {
    await query('a[2] ~> |$|{"__proto__": {"polluted": 1}}|');
    await query('a[2] ~> |constructor.prototype|{"polluted": 1}|');
    await query('{"__proto__": {"polluted": 1}}');
    expect(await query('polluted', {})).toBeNull();
    expect(await query('a.polluted')).toBeNull();
  });

  test.each([
    ['a[', 'not JSONata'],
    ['function($x){1}', 'not a JSON value'],
    ['$error("mine")', 'mine'],
    ['[1..10000000]', 'too large'],
  ])('says what is wrong with %s', async (expression, fault) => {
    await expect(query(expression)).rejects.toThrow(fault);
  });

  test('does not take a long number in an expression for another one', async () => {
    await expect(queryText('12345678901234566.5 + 1', '{}')).rejects.toThrow('contains 12345678901234566.5, a number');
    const rows = '[{"id":9007199254740993,"n":"a"},{"id":9007199254740992,"n":"b"}]';
    for (const expression of [
      '$[id = 9007199254740993].n',
      "/* don't */ $[id = 9007199254740993].n /* it's */",
      '$filter($, function($row) { $row.id = 9007199254740993.0 }).n',
      '$[id = -(-9007199254740993)].n',
    ])
      await expect(queryText(expression, rows)).rejects.toThrow(
        /contains 9007199254740993(?:\.0)?, a number with more digits than it keeps: quote it/,
      );
    expect(await queryText('$[id = "9007199254740993"].n', rows)).toBe('a');
    expect(await queryText('$[id = 9007199254740992].n', rows)).toBe('b');
    expect(await queryText('`9007199254740993` & "9007199254740993" & \'9007199254740993\'', '{}')).toBe(
      '90071992547409939007199254740993',
    );
    expect(await queryText('$match(id, /9007199254740993/).match', '{"id":"9007199254740993"}')).toBe(
      '9007199254740993',
    );
  });

  test.each(
    casesOf(
      [
        ['bigint(7) ^ bigint(100000000)', 'math'],
        ['$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /(a+)+$/)', 'json_query'],
        ['($f := function($x){ $f($x + 1) }; $f(1))', 'json_query'],
      ],
      2,
    ),
  )('ends %s when it is told to', async (expression, kind) => {
    const controller = new AbortController();
    const job = kind === 'math' ? { variables: {}, precision: 14 } : { json: '{}' };
    const asked = compute({ kind, expression, ...job } as Parameters<typeof compute>[0], {
      payer: ownPayer('mine'),
      signal: controller.signal,
    });
    const outcome = expect(asked).rejects.toThrow('told to');
    await waitUntil('the calculation to be under way', isCalculating);
    controller.abort(new Error('told to'));
    await outcome;
    expect(await math('1 + 1')).toBe('2');
  });

  test('gives an expression the digits of a number that it would change', async () => {
    const json = '{"id":1234567890123456789,"price":1.10}';
    const expression = '[id, $type(id), price * 2]';
    expect(JSON.parse(await compute({ kind: 'json_query', expression, json }, mine))).toEqual([
      '1234567890123456789',
      'string',
      2.2,
    ]);
  });

  test('runs many jobs at once, and lets those that wait go', async () => {
    const controller = new AbortController();
    const blocked = Array.from({ length: 4 }, () => math('bigint(7) ^ bigint(100000000)', controller.signal));
    const waiting = math('1 + 1', controller.signal);
    const results = Promise.allSettled([...blocked, waiting]);
    controller.abort(new Error('told to'));
    expect((await results).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect(await Promise.all(Array.from({ length: 8 }, (_, index) => math(`${index} + 1`)))).toHaveLength(8);
  });

  test.each(
    casesOf([
      ['json_query', '$pad("x", 500000000)'],
      ['math', 'zeros(100000, 100000)'],
      ['math', 'resize([1], [100000000])'],
      ['json_query', '[1..10000].([1..10000])'],
    ]),
  )('survives %s of %s, which takes all the memory there is', async (kind, expression) => {
    const charged = jest.spyOn(KeyedSemaphore.prototype, 'charge');
    const asked = kind === 'math' ? math(expression) : query(expression);
    const failure: unknown = await asked.catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: 'invalid_input',
      message: expect.stringMatching(/needs too much memory|too large/),
    });
    // A process that has died is counted against whoever has brought it down.
    const calls = failure instanceof ProcessDied ? [[mine.payer, CRASH_MS]] : [];
    expect(charged.mock.calls).toEqual(calls);
    charged.mockRestore();
    expect(await math('1 + 1')).toBe('2');
  });

  test('counts a process that dies against its owner, and a failure that is reported against nobody', async () => {
    const charged = jest.spyOn(KeyedSemaphore.prototype, 'charge');
    await expect(math('ones(1e8)')).rejects.toThrow('needs too much memory');
    await expect(math('1 +')).rejects.toThrow();
    expect(charged.mock.calls).toEqual([[mine.payer, CRASH_MS]]);
    charged.mockRestore();
  });

  test('answers one organization while another one floods it', async () => {
    const controller = new AbortController();
    const flood = Promise.allSettled(
      Array.from({ length: 60 }, () => math('bigint(7) ^ bigint(100000000)', controller.signal, 'flooding')),
    );
    // The flood ends only when told to, so a result shows that nobody waits for it.
    expect(await math('1 + 1', never, 'neighbour')).toBe('2');
    controller.abort(new Error('told to'));
    expect((await flood).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('reads words with many blanks in no time', () => {
    const job = { kind: 'time' as const, now: 0, given: { parse: '1d    '.repeat(33) } };
    expect(cpuTimeOf(() => expect(() => calculateTime(job)).toThrow('read only in part'))).toBeLessThan(2_000);
  });

  test('gives what it runs no files, no code from text, no processes and no settings', async () => {
    const child = startChild();
    const { spawnargs } = child;
    child.kill('SIGKILL');
    expect(child.spawnfile).toBe('/bin/sh');
    const scriptIndex = spawnargs.findIndex((argument) => argument.endsWith('child.ts'));
    const probe = `
      const tried = (work) => { try { return String(work()); } catch (error) { return error.code ?? error.name; } };
      const { readFileSync, writeFileSync } = await import('node:fs');
      const { execFileSync } = await import('node:child_process');
      const { Worker } = await import('node:worker_threads');
      console.log(JSON.stringify({
        ownCode: tried(() => readFileSync(${JSON.stringify(spawnargs[scriptIndex])}).length > 0),
        otherFile: tried(() => readFileSync('/etc/passwd')),
        write: tried(() => writeFileSync(${JSON.stringify(join(tmpdir(), 'everturn-compute-probe'))}, '')),
        process: tried(() => execFileSync('/bin/true')),
        thread: tried(() => new Worker('1', { eval: true })),
        code: tried(() => new Function('return 1')()),
        settings: Object.keys(process.env).filter((name) => !['TZ', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).join(),
      }));`;
    const args = [...spawnargs.slice(1, scriptIndex), '--input-type=module', '--eval', probe];
    const { stdout } = spawnSync('/bin/sh', args, { env: { TZ: 'UTC' }, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({
      ownCode: 'true',
      otherFile: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      process: 'ERR_ACCESS_DENIED',
      thread: 'ERR_ACCESS_DENIED',
      code: 'EvalError',
      settings: '',
    });
  });

  test('gives way to the service from the start', () => {
    const child = startChild();
    expect(getPriority(child.pid)).toBe(LOW_PRIORITY);
    child.kill('SIGKILL');
  });

  test('leaves no process behind when the one that asked is killed', async () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const script = `
      const { startChild } = await import(${JSON.stringify(join(folder, 'start-child.ts'))});
      const [idle, busy] = [startChild(), startChild()];
      busy.stdin.write(${JSON.stringify(`0 ${BUSY}\n`)});
      process.send([idle.pid, busy.pid]);
      setInterval(() => undefined, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 1, 2, 'ipc'],
    });
    const [pids] = (await once(owner, 'message')) as [number[]];
    expect(pids.filter(isAlive)).toHaveLength(2);
    owner.kill('SIGKILL');
    await waitUntil('the end of its processes', () => !pids.some(isAlive) || undefined);
  });

  test('runs nothing when the one that asked has died before the process was set up', () => {
    const child = startChild();
    const { spawnargs } = child;
    child.kill('SIGKILL');
    const [, , script = ''] = spawnargs;
    const run = (owner: number) =>
      spawnSync('/bin/sh', ['-c', script, String(owner), 'echo', 'begun'], { encoding: 'utf8' }).stdout;
    expect([run(process.pid), run(1)]).toEqual(['begun\n', '']);
  });

  test('matches patterns, with what ignore files exclude left out', async () => {
    const paths = ['a.md', 'b.txt', 'docs/c.md', 'docs/secret/d.md', 'tmp/e.md'];
    const ignoreFiles = [
      { folder: '', rules: 'tmp/' },
      { folder: 'docs', rules: '/secret' },
    ];
    const text = await compute({ kind: 'glob', pattern: '**/*.md', paths, ignoreFiles }, mine);
    expect(JSON.parse(text)).toEqual([0, 2]);
  });
});
