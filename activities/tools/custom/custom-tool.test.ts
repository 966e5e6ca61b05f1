import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../../../domain/core/exact-json.ts';
import { type CustomTool, inspectTool } from '../../../domain/tools/inspect-tool.ts';
import { casesOf, longTest } from '../../../test/support/in-length.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { json, OutsideServer } from '../../../test/support/outside-server.ts';
import { createTestTools, type TestTools } from '../../../test/support/tool-context.ts';
import type { CallOutcome } from '../call/execute-call.ts';
import type { ToolArguments } from '../tool.ts';
import { callOnce } from '../test-runs/try-tool.ts';
import { customTool, unusableTool } from './custom-tool.ts';

let server: OutsideServer;
let url: string;
let tools: TestTools;
/** Those with a short limit on the time of calculations and scripts. */
let limited: TestTools;

beforeAll(async () => {
  server = await OutsideServer.start();
  ({ url } = server);
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}` });
  limited = await createTestTools({
    privateHosts: `127.0.0.1:${server.port}`,
    hasOwnProcesses: true,
    computingMs: 200,
  });
});
afterAll(async () => {
  await tools.close();
  await limited.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
});

interface Given {
  readonly effect?: 'read' | 'keyed' | 'once';
  readonly parameters?: object;
  readonly timeout_s?: number;
}

const ANY = { type: 'object', properties: { a: {}, b: {}, n: {} } };

function define(given: Given, files: Readonly<Record<string, string>>, runtime: string): CustomTool {
  const tool = { parameters: ANY, effect: 'read', ...given, runtime };
  const all = new Map(Object.entries({ 'tool.json': JSON.stringify(tool), ...files }));
  const inspection = inspectTool({ key: 'mine', name: 'Mine', description: 'Does what I want.' }, all);
  if ('problem' in inspection) throw new Error(inspection.problem);
  return inspection.tool;
}

const http = (request: object, given: Given = {}) =>
  define(given, { 'http.json': JSON.stringify({ method: 'GET', url: `${url}/x`, ...request }) }, 'http');
const script = (source: string, given: Given = {}) => define(given, { 'main.js': source }, 'javascript');
const body = (code: string, given: Given = {}) =>
  script(`export default async function (args, { fetch, log }) {\n${code}\n}`, given);

async function run(tool: CustomTool, args: ToolArguments = {}, within = tools): Promise<CallOutcome> {
  return customTool(tool).run(args, within.options);
}

/** Returns the text between the marks of a result from outside, or the result. */
function textOf({ result }: CallOutcome): string {
  return /^\[Data from outside[^\n]*\n<<\w+\n([\s\S]*)\n\w+>>$/.exec(result)?.[1] ?? result;
}

describe('a tool that sends a request', () => {
  test('sends what its template says with the values of the call, and shapes the answer', async () => {
    server.reply = json({
      items: [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
    });
    const tool = http({
      method: 'POST',
      url: `${url}/things/{{ a }}`,
      query: { n: '{{ n }}' },
      headers: { 'X-B': '{{ b }}' },
      body: { text: 'about {{ a }}', n: '{{ n }}' },
      result: 'body.items[id = 2].name & " " & $string(status)',
    });
    const outcome = await run(tool, { a: 'x/y', b: 'z', n: 3 });
    expect(outcome).toMatchObject({ status: 'success', isForeign: true });
    expect(textOf(outcome)).toBe('two 200');
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/things/x%2Fy?n=3',
        headers: { 'x-b': 'z', 'content-type': 'application/json' },
        body: '{"text":"about x/y","n":3}',
      },
    ]);
  });

  test('shows status, headers and body when it does not shape the answer', async () => {
    expect(textOf(await run(http({})))).toMatch(/^HTTP status 200\n[\s\S]*\n\n\{"ok":true\}$/);
  });

  test.each([
    [404, 'not_found', 'error'],
    [403, 'denied', 'error'],
    [422, 'invalid_input', 'error'],
    [500, 'upstream', 'unknown'],
  ])('says that the server answered with %i', async (status, kind, outcome) => {
    server.reply = json({ why: 'because' }, status);
    const answered = await run(http({ method: 'POST', result: 'body.why' }, { effect: 'once' }));
    expect(answered).toMatchObject({ status: outcome, isForeign: true });
    expect(JSON.parse(textOf(answered))).toMatchObject({
      error: { class: kind, message: expect.stringContaining(`status ${status}: because`) },
    });
    expect(server.seen).toHaveLength(1);
  });

  test('shows the answer as it came when the result cannot be made of it', async () => {
    const answered = await run(http({ result: 'body.(' }));
    expect(answered.status).toBe('success');
    expect(textOf(answered)).toMatch(/\{"ok":true\}\n\[The result of the definition could not be made: .*JSONata/);
  });

  test('does not wait for an expression that never ends', async () => {
    const answered = await run(http({ result: '($f := function($n) { $f($n + 1) }; $f(1))' }), {}, limited);
    expect(textOf(answered)).toMatch(/The result of the definition could not be made/);
  });

  test('sends the same key with each repetition of a keyed call, and repeats none that must not happen twice', async () => {
    server.reply = (response) => response.writeHead(server.seen.length < 2 ? 503 : 200).end();
    await run(http({ method: 'POST' }, { effect: 'keyed' }));
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(server.seen[0]?.headers['idempotency-key']).toBe(tools.context.idempotencyKey);
    expect(server.seen).toHaveLength(2);
    server.seen.length = 0;
    expect((await run(http({ method: 'POST' }, { effect: 'once' }))).status).toBe('unknown');
    expect(server.seen).toHaveLength(1);
  });

  test('is sent nowhere when an argument cannot be written in its position', async () => {
    const outcome = await run(http({ headers: { 'X-A': '{{ a }}' } }), { a: 'x\r\nX-Evil: 1' });
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('a header cannot have') });
    expect(server.seen).toEqual([]);
  });

  test.each([
    'http://127.0.0.1:1/',
    'http://169.254.169.254/x',
    'http://[::1]/',
    'http://localhost/',
    'http://0x7f.1/',
  ])('does not reach %s', async (address) => {
    const outcome = await run(http({ url: address }));
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('"class":"denied"') });
  });

  test('does not follow a redirect to a private address', async () => {
    server.reply = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    expect(textOf(await run(http({})))).toContain('redirects to one that may not be reached');
  });
});

describe('the arguments of a call', () => {
  const plain = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

  test('are checked before anything is done', async () => {
    const outcome = await run(http({}, { parameters: plain }), { b: 1 });
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('invalid_input') });
    expect(server.seen).toEqual([]);
  });

  test.each(
    casesOf(
      [
        [{ pattern: '^[a-z]+$' }, 'abc', 'ABC'],
        [{ format: 'email' }, 'a@example.com', 'nobody'],
        [{ $ref: '#/$defs/small' }, 'ab', 'abc'],
        [{ anyOf: [{ const: 'x' }, { minLength: 5 }] }, 'x', 'y'],
        [{ not: { const: 'x' } }, 'y', 'x'],
      ],
      2,
    ),
  )('are checked by all of the schema: %j', async (property, good, bad) => {
    const parameters = { type: 'object', properties: { a: property }, $defs: { small: { maxLength: 2 } } };
    const tool = body('return args.a', { parameters });
    expect(await run(tool, { a: good })).toMatchObject({ status: 'success', result: good });
    expect(await run(tool, { a: bad })).toMatchObject({
      status: 'error',
      result: expect.stringContaining('do not fit'),
    });
  });

  test.each([
    ['a property that there is not', { b: 1 }, 'must not have the property b'],
    ['one within another', { a: { 'x/y': 1 } }, 'must not have the property x/y'],
    ['one that is forbidden', { never: 1 }, 'must not have the property never'],
    ['a value of another type', { a: 1 }, 'a'],
  ])('are refused in words, by both ways of checking: %s', async (_name, args, words) => {
    const inner = { type: 'object', additionalProperties: false };
    const quick = { type: 'object', properties: { a: inner, never: false }, additionalProperties: false };
    const full = { ...quick, properties: { ...quick.properties, c: { pattern: '^c' } } };
    for (const parameters of [quick, full]) {
      const { status, result } = await run(http({}, { parameters }), args);
      expect([status, result]).toEqual(['error', expect.stringContaining('do not fit')]);
      expect(result).toContain(words);
      expect(result).not.toMatch(/schema|Instance/);
    }
    expect(server.seen).toEqual([]);
  });

  test('are not checked for longer than a few seconds', async () => {
    const parameters = { type: 'object', properties: { a: { pattern: '^(a+)+$' } } };
    const outcome = await run(http({}, { parameters }), { a: `${'a'.repeat(40)}!` }, limited);
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('takes too long') });
    expect(server.seen).toEqual([]);
  });
});

describe('a tool that runs code', () => {
  test('returns what its function returns: text as it is, anything else as JSON', async () => {
    expect(await run(body('return `Hello ${args.a}`'), { a: 'you' })).toEqual({
      status: 'success',
      result: 'Hello you',
    });
    expect((await run(body('return { sum: args.n.reduce((a, b) => a + b) }'), { n: [1, 2] })).result).toBe('{"sum":3}');
    expect((await run(body(''))).result).toBe('null');
  });

  test('has the arguments as they were given', async () => {
    const args = { a: { b: [null, true, '\u2028\n"'] }, n: -0.5 };
    expect(JSON.parse((await run(body('return args'), args)).result)).toEqual(args);
  });

  test('is not called with a number that it would have as another one', async () => {
    const args = parseExactJson('{"id":1234567890123456789}') as ToolArguments;
    expect(await run(body('return args.id'), args)).toMatchObject({
      status: 'error',
      result: expect.stringContaining('no number 1234567890123456789'),
    });
  });

  test('makes requests, whose text is from outside', async () => {
    server.reply = json({ city: 'Rome' });
    const tool = body(`
      const answer = await fetch('${url}/y', { method: 'post', headers: { 'X-A': 1 }, body: JSON.stringify(args) });
      return [answer.ok, answer.status, answer.headers.get('Content-Type'), (await answer.json()).city];`);
    const outcome = await run(tool, { a: 1 });
    expect(outcome).toMatchObject({ status: 'success', isForeign: true });
    expect(textOf(outcome)).toBe('[true,200,"application/json","Rome"]');
    expect(server.seen).toMatchObject([{ method: 'POST', url: '/y', headers: { 'x-a': '1' }, body: '{"a":1}' }]);
  });

  test('makes several requests at once, and no more than twenty', async () => {
    const at = (path: string) => `fetch('${url}/${path}').then((answer) => answer.status)`;
    const all = await run(body(`return Promise.all([${at('a')}, ${at('b')}, ${at('c')}])`));
    expect(textOf(all)).toBe('[200,200,200]');
    server.seen.length = 0;
    const many = await run(body(`for (let i = 0; i < 30; i++) await fetch('${url}/' + i)`));
    expect(textOf(many)).toContain('20 requests at most');
    expect(server.seen).toHaveLength(20);
  });

  test('sends keys that are the same when the call is repeated', async () => {
    const tool = body(
      `await fetch('${url}/a'); await fetch('${url}/b', { method: 'POST' }); await fetch('${url}/c', { method: 'PUT' })`,
      { effect: 'keyed' },
    );
    await run(tool);
    await run(tool);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 3)).toEqual(keys.slice(3));
    expect(new Set(keys.slice(0, 3))).toEqual(
      new Set([undefined, `${tools.context.idempotencyKey}-2`, `${tools.context.idempotencyKey}-3`]),
    );
  });

  /** Makes a tool that returns the messages with which its requests fail, one after the other. */
  const failing = (requests: readonly string[]) =>
    body(`
      const messages = [];
      for (const request of [${requests.map((request) => `() => fetch(${request})`).join()}])
        messages.push(await request().then(() => 'answered', (error) => error.message));
      return messages;`);

  test('reaches no address of the network of the service, and can continue', async () => {
    const addresses = {
      'http://127.0.0.1:1/': 'private address',
      'http://169.254.169.254/': 'private address',
      'http://localhost:5432/': 'port 5432',
      'http://user:secret@example.com/': '',
      'file:///etc/passwd': 'must begin with',
      '/x': 'not a valid URL',
    };
    const tool = failing(Object.keys(addresses).map((address) => `'${address}'`));
    const messages = JSON.parse(textOf(await run(tool))) as string[];
    expect(messages).not.toContain('answered');
    expect(messages).toEqual(Object.values(addresses).map((words) => expect.stringContaining(words)));
  });

  test('does not follow a redirect to a private address', async () => {
    server.reply = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    expect(textOf(await run(body(`return (await fetch('${url}')).status`)))).toContain('may not be reached');
  });

  test('makes no request with what no request may have', async () => {
    const refused = {
      "{ method: 'TRACE' }": 'not valid',
      "{ headers: { 'X-A': 'x\\r\\nX-Evil: 1' } }": 'line breaks',
      "{ headers: { Host: 'example.com' } }": 'cannot be set',
      "{ method: 'POST', body: { a: 1 } }": 'must be a text',
      "{ body: 'x' }": 'has no body',
    };
    const tool = failing(Object.keys(refused).map((options) => `'${url}', ${options}`));
    const messages = JSON.parse(textOf(await run(tool))) as string[];
    expect(messages).toEqual(Object.values(refused).map((words) => expect.stringContaining(words)));
    expect(server.seen).toEqual([]);
  });

  test('says where it failed, and that a request may have taken effect', async () => {
    expect(await run(body(`\nthrow new TypeError('wrong')`, { effect: 'once' }))).toEqual({
      status: 'error',
      result: expect.stringContaining('TypeError: wrong (main.js:3)'),
    });
    const after = await run(
      body(`await fetch('${url}', { method: 'POST' }); throw new Error('late')`, { effect: 'once' }),
    );
    expect(after).toMatchObject({ status: 'unknown', isForeign: true });
    expect(textOf(after)).toContain('late');
  });

  // What else goes wrong in a script: script/engine.test.ts.
  test('fails in words when it has no function', async () => {
    const outcome = await run(script('export default 5'));
    expect(outcome).toEqual({
      status: 'error',
      result: expect.stringContaining('a default export that is a function'),
    });
  });

  test('is stopped when it computes without end', async () => {
    const { status, result } = await run(body('while (true);'), {}, limited);
    const message = 'The script computed for more than 0.2 seconds';
    expect([status, JSON.parse(result)]).toEqual(['error', { error: { class: 'timeout', message } }]);
  });

  for (const [what, code] of [
    ['lists', 'const all = []; while (true) all.push(new Array(1e5).fill(all))'],
    ['bytes', 'const all = []; while (true) all.push(new Uint8Array(1e7))'],
    ['texts', `let a = 'x'; while (true) a += a + Math.random()`],
  ] as const)
    // The short run fills the memory of a script only through code_run.
    longTest(`is stopped when it fills its memory with ${what}`, async () => {
      const outcome = await run(body(code));
      expect(outcome.status).toBe('error');
      expect(outcome.error).toBeUndefined();
    });

  test('is stopped when its time is up, and when the turn is interrupted', async () => {
    server.reply = () => undefined;
    const waiting = body(`await fetch('${url}')`, { timeout_s: 1, effect: 'once' });
    expect(await run(waiting)).toMatchObject({
      status: 'unknown',
      result: expect.stringContaining('longer than 1 seconds'),
    });
    const interrupt = new AbortController();
    const call = customTool(body(`await fetch('${url}')`)).run({}, { ...tools.options, signal: interrupt.signal });
    server.reply = () => interrupt.abort(new Error('interrupted'));
    await expect(call).rejects.toThrow('interrupted');
  });

  test('changes nothing for the next call', async () => {
    const pollute = `
      Object.prototype.polluted = 'yes'; Array.prototype.map = () => 'stolen'; JSON.stringify = () => '"forged"';
      globalThis.fetch = () => 'stolen'; Promise.prototype.then = null; String = null;
      args.__proto__.polluted = 'again';
      return { a: 1 }`;
    expect((await run(body(pollute))).result).toBe('{"a":1}');
    expect((await run(body('return [typeof {}.polluted, [1].map((x) => x), typeof globalThis.fetch]'))).result).toBe(
      '["undefined",[1],"undefined"]',
    );
    expect({}).not.toHaveProperty('polluted');
  });

  test('sees nothing of the service', async () => {
    const names = `['process', 'require', 'Buffer', 'global', 'setTimeout', 'WebAssembly', 'XMLHttpRequest', 'module', 'std', 'os']`;
    const tool = body(`return [
      ${names}.filter((name) => typeof globalThis[name] !== 'undefined'),
      (() => {}).constructor('return typeof process')(),
      Object.getOwnPropertyNames(fetch.constructor('return globalThis')()).includes('process'),
    ]`);
    expect((await run(tool)).result).toBe('[[],"undefined",false]');
  });
});

describe('a try of a tool', () => {
  const tried = async (tool: CustomTool, args: ToolArguments = {}) =>
    callOnce(tool, args, {
      contextFor: (signal) => tools.options.contextFor(signal),
      stop: new AbortController().signal,
    });

  test('shows result, log and duration', async () => {
    const outcome = await tried(body(`log('one', { two: 2 }); log(3); return 4`));
    expect(outcome).toEqual({
      status: 'success',
      result: '4',
      isJson: true,
      logs: ['one {"two":2}', '3'],
      durationMs: expect.any(Number),
    });
    expect(await tried(body(`return '4'`))).toMatchObject({ result: '4', isJson: false });
    expect(await tried(http({ result: 'body.ok' }))).toMatchObject({ result: 'true', isJson: true });
    expect(await tried(http({}))).toMatchObject({ isJson: false });
    expect(await tried(body(`return ['x'.repeat(200_000)]`))).toMatchObject({ isJson: false });
  });

  test('logs an error with its name, its words and where it came from, and whatever is no JSON', async () => {
    const { logs } = await tried(
      body(`
        const circle = {};
        circle.circle = circle;
        log('caught', new TypeError('wrong'));
        log({ error: new RangeError('far') });
        log(10n, circle);
        const deep = (n) => (n === 0 ? new Error('deep') : deep(n - 1));
        log(deep(100));`),
    );
    expect(logs[0]).toMatch(/^caught TypeError: wrong\n\s*at .*main\.js:5/);
    expect(logs[1]).toMatch(/^\{"error":"RangeError: far \(main\.js:6\)"\}$/);
    expect(logs[2]).toBe('10 [object Object]');
    expect(logs[3]?.split('\n').length).toBeLessThan(10);
  });

  test.each(
    casesOf(
      [
        ['denied', `await fetch('http://127.0.0.1:1/')`],
        ['upstream', `throw Object.assign(new Error('odd'), { class: 'anything else' })`],
        ['invalid_input', `await fetch('/x')`],
        ['invalid_input', `await fetch('https://example.com/', { body: 'x' })`],
      ],
      3,
    ),
  )('names the class of a failure: %s', async (kind, code) => {
    const { status, result, isJson } = await tried(body(code));
    expect([status, isJson]).toEqual(['error', true]);
    expect(JSON.parse(result)).toMatchObject({ error: { class: kind } });
  });

  test('shows the log of code that failed, as far as it is not too long', async () => {
    const outcome = await tried(body(`for (let i = 0; i < 500; i++) log('x'.repeat(5000)); throw new Error('why')`));
    expect(outcome).toMatchObject({ status: 'error', result: expect.stringContaining('why') });
    expect(outcome.logs).toHaveLength(100);
    expect(outcome.logs[0]).toHaveLength(1_000);
  });

  test('says what is wrong with the arguments', async () => {
    const parameters = { type: 'object', required: ['a'] };
    expect(await tried(body('return 1', { parameters }))).toMatchObject({
      status: 'error',
      result: expect.stringContaining('must have the property a'),
    });
  });

  test('is stopped when its time is up', async () => {
    server.reply = () => undefined;
    const outcome = await tried(http({ method: 'POST' }, { effect: 'once', timeout_s: 1 }));
    expect(outcome).toMatchObject({ status: 'unknown', result: expect.stringContaining('longer than 1 seconds') });
  });
});

test('a tool that cannot be used refuses calls, and says why', async () => {
  const tool = unusableTool('mine', 'main.js is missing');
  expect(tool.isHidden).toBe(true);
  expect(await tool.plan([{}])).toEqual([
    { error: { kind: 'denied', message: 'The tool mine cannot be used: main.js is missing' } },
  ]);
});

describeSandboxed('a tool that runs a shell script', () => {
  let box: TestSandbox;
  let own: TestTools;
  beforeAll(async () => {
    box = await openTestSandbox();
    own = await createTestTools({ sandbox: box.sandbox });
  });
  afterAll(async () => {
    await own.close();
    await box.close();
  });
  const shell = (source: string, given: Given = {}) => define(given, { 'main.sh': source }, 'shell');
  const call = async (tool: CustomTool, args: ToolArguments = {}) => customTool(tool).run(args, own.options);

  test('finds its arguments in variables and as JSON, works in the workspace, and its output is the result', async () => {
    const source = 'echo "$ARG_A and $ARG_N" > kept; cat kept; cat; echo " $IDEMPOTENCY_KEY"; echo noted >&2';
    const outcome = await call(shell(source), { a: "it's $(id)", n: [1], b: 'c' });
    expect(outcome).toEqual({
      status: 'success',
      result: `it's $(id) and [1]\n{"a":"it's $(id)","n":[1],"b":"c"} ${own.context.idempotencyKey}`,
    });
    expect((await own.context.workspace.read(['kept'], 100)).toString()).toBe("it's $(id) and [1]\n");
  });

  test.each([
    ['echo no such thing >&2; exit 3', 'read', 30, 'error', '"upstream","message":"no such thing"'],
    ['exit 3', 'once', 30, 'unknown', 'exit code 3; it may or may not have taken effect'],
    ['sleep 99', 'read', 1, 'error', '"timeout"'],
    ['curl -s --max-time 2 http://127.0.0.1/ || exec 3<>/dev/tcp/127.0.0.1/80', 'read', 30, 'error', 'refused'],
  ] as const)('that fails says why: %s', async (source, effect, timeout_s, status, words) => {
    expect(await call(shell(source, { effect, timeout_s }))).toMatchObject({
      status,
      result: expect.stringContaining(words),
    });
  });

  test('is refused where there is no sandbox', async () => {
    expect(await run(shell('true'))).toMatchObject({ status: 'error', result: expect.stringContaining('"denied"') });
  });
});
