import { mkdir } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../../test/support/test-sandbox.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { BuiltinTool } from '../../define-tool.ts';
import { describeCall, digestOf } from '../../call/execute-call.ts';
import type { ToolArguments } from '../../tool.ts';
import type { OpenedIntegration } from '../../context.ts';
import { codeRun } from './code-run.ts';
import { shellRun } from './shell-run.ts';

let tools: TestTools;

async function run(tool: BuiltinTool, args: ToolArguments): Promise<Record<string, unknown>> {
  const { value } = await prepareCall(tool, args).run(tools.context);
  return (typeof value === 'string' ? JSON.parse(value) : value) as Record<string, unknown>;
}

const javascript = (code: string, input?: unknown) => run(codeRun, { language: 'javascript', code, input });
const python = (code: string, input?: unknown) => run(codeRun, { language: 'python', code, input });

describe('without a sandbox', () => {
  beforeEach(async () => {
    tools = await createTestTools();
  });
  afterEach(() => tools.close());

  test('commands and Python are refused in words, and nothing is run', async () => {
    const refusal = { kind: 'denied', message: expect.stringContaining('this test has no sandbox. Nothing was run') };
    await expect(run(shellRun, { command: 'true' })).rejects.toMatchObject(refusal);
    await expect(python('1')).rejects.toMatchObject(refusal);
  });

  test.each([
    ['1 + 1', 2],
    ['const x = 20; x * 2 + input', 43],
    ['({ a: [1, 2] })', { a: [1, 2] }],
    ['return input * 2', 6],
    ['const value = await Promise.resolve(input); return value + 1', 4],
    ['function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } f(15)', 610],
    ['let unused = 1;', null],
    ['JSON.stringify([...new Set("aab")])', '["a","b"]'],
  ])('JavaScript is run, and its value is that of the last expression or what it returns: %j', async (code, value) => {
    expect(await javascript(code, 3)).toEqual({ value, printed: '' });
  });

  test('what JavaScript prints is shown, once', async () => {
    expect(await javascript('console.log("a", { b: 1 }); console.error("c"); JSON.parse("[1]")')).toEqual({
      value: [1],
      printed: 'a {"b":1}\nc',
    });
    await expect(javascript('console.log(1); JSON.parse("{")')).rejects.toMatchObject({ kind: 'upstream' });
  });

  test('a command is another one than was approved when an integration that it names has changed', async () => {
    const described = async (token: string) => {
      const [apiUrl, fields, secretPlaces] = ['https://tracker.example.com', ['token'], []];
      const tracker = { name: 'Tracker', apiUrl, fields, secretPlaces, secrets: { token } };
      await tools.close();
      tools = await createTestTools({ integrations: [tracker] });
      const call = prepareCall(shellRun, { command: 'deploy', integrations: ['Tracker', 'Other'] });
      return describeCall(call, tools.context);
    };
    const approved = await described('of-the-test-server');
    expect(approved.details).toEqual([{ label: 'Credentials', value: 'Tracker (https://tracker.example.com)' }]);
    expect(digestOf(await described('of-the-test-server'))).toBe(digestOf(approved));
    expect(digestOf(await described('of-another-server'))).not.toBe(digestOf(approved));
  });

  test('JavaScript that never ends is ended, with words', async () => {
    await tools.close();
    tools = await createTestTools({ computingMs: 200 });
    const message = expect.stringContaining('computed for more than 0.2 seconds');
    await expect(javascript('while (true);')).rejects.toMatchObject({ kind: 'timeout', message });
  });

  test.each([
    ['const f = () => f(); f()', 'upstream', 'stack'],
    ['const all = []; while (true) all.push(new Array(1e5).fill(1))', 'upstream', 'memory'],
    ['process.exit()', 'upstream', 'process'],
    ['await arguments[1].fetch("http://127.0.0.1/")', 'upstream', 'not a function'],
    ['arguments[1].fetch("http://127.0.0.1/")', 'denied', 'no network'],
    ['this is no code', 'upstream', 'SyntaxError'],
  ])('JavaScript that does %j ends with words', async (code, kind, words) => {
    await expect(javascript(code)).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
  });
});

describeSandboxed('in the sandbox', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openTestSandbox();
  });
  beforeEach(async () => {
    tools = await createTestTools({ sandbox: box.sandbox });
  });
  afterEach(() => tools.close());
  afterAll(() => box.close());

  test('a command works on the workspace, and answers code, output and time', async () => {
    await mkdir(join(tools.home, 'data'), { recursive: true });
    const args = {
      command: 'cat > in.txt; echo "$NAME has $(wc -c < in.txt)"; echo oh >&2; exit 3',
      cwd: 'data',
      env: { NAME: 'it' },
      stdin: 'four',
    };
    expect(await run(shellRun, args)).toEqual({
      exit_code: 3,
      stdout: 'it has 4\n',
      stderr: 'oh\n',
      duration_ms: expect.any(Number),
    });
    expect(readFileSync(join(tools.home, 'data/in.txt'), 'utf8')).toBe('four');
  });

  test('waits for a person, is never repeated, and shows its command', () => {
    expect(prepareCall(shellRun, { command: 'make\n test' })).toMatchObject({
      effect: 'once',
      approval: 'writes',
      label: '$ make test',
    });
  });

  const SECRET = 'a-secret-of-the-tracker/8c1f';
  const tracker: OpenedIntegration = {
    name: 'Tracker',
    apiUrl: 'https://tracker.example.com',
    fields: ['token', 'other'],
    secretPlaces: [],
    secrets: { token: SECRET, other: 'another-secret' },
    commandVariables: { TRACKER_TOKEN: 'token' },
  };

  async function openWith(integration: OpenedIntegration) {
    await tools.close();
    tools = await createTestTools({ sandbox: box.sandbox, integrations: [integration] });
  }

  test('finds the credentials that the organization gives to commands, and no others, when it names the integration', async () => {
    await openWith(tracker);
    const command = 'echo ${#TRACKER_TOKEN}; env | grep -c secret';
    expect(await run(shellRun, { command })).toMatchObject({ stdout: '0\n0\n' });
    expect(await run(shellRun, { command, integrations: ['Tracker'] })).toMatchObject({
      stdout: `${SECRET.length}\n1\n`,
    });
  });

  test('shows no credential in its output, in whatever form, and in no file that a long output is kept in', async () => {
    await openWith(tracker);
    const say = 'echo "$TRACKER_TOKEN"; echo "$TRACKER_TOKEN" >&2; echo "$TRACKER_TOKEN" | base64';
    const short = await run(shellRun, { command: say, integrations: ['Tracker'] });
    expect(short).toMatchObject({ stdout: expect.stringMatching(/^\*\*\*\n\*\*\*/), stderr: '***\n' });
    const { stdout } = await run(shellRun, { command: `seq 5000; ${say}`, integrations: ['Tracker'] });
    const [, path = ''] = /workspace file (\S+) /.exec(String(stdout)) ?? [];
    const kept = readFileSync(join(tools.home, path), 'utf8');
    expect(kept).toContain('\n4999\n5000\n***\n');
    const { stdout: begin } = await run(shellRun, { command: `seq 300000; ${say}`, integrations: ['Tracker'] });
    expect(begin).toMatch(/\[The rest is left out: it could contain credentials\.\]$/);
    const encoded = Buffer.from(SECRET).toString('base64').slice(0, 20);
    for (const text of [JSON.stringify(short), String(stdout), kept, String(begin)])
      expect([text.includes(SECRET), text.includes(encoded)]).toEqual([false, false]);
  });

  test.each([
    [{}, 'Tracker', 'denied', 'gives commands no credentials of the integration Tracker'],
    [{ TRACKER_TOKEN: 'gone' }, 'Tracker', 'denied', 'gives commands no credentials'],
    [{ TRACKER_TOKEN: 'token' }, 'Other', 'not_found', 'no integration named Other'],
  ])(
    'is refused credentials where the variables are %j and it names %s',
    async (commandVariables, name, kind, words) => {
      await openWith({ ...tracker, commandVariables });
      const running = run(shellRun, { command: 'touch ran', integrations: [name] });
      await expect(running).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
      expect(existsSync(join(tools.home, 'ran'))).toBe(false);
    },
  );

  test('files that the service writes later can be changed by the next command', async () => {
    await tools.context.workspace.write(['a.txt'], Buffer.from('a'), {
      overwrite: true,
      createFolders: true,
      isForeign: false,
    });
    expect(await run(shellRun, { command: 'echo b >> a.txt; cat a.txt' })).toMatchObject({
      exit_code: 0,
      stdout: 'ab\n',
    });
  });

  test('a long output shows its begin and its end, and is whole in a file', async () => {
    const { stdout } = await run(shellRun, { command: 'seq 100000' });
    expect(stdout).toMatch(/^1\n2\n/);
    expect(stdout).toMatch(/\n99999\n100000\n$/);
    const [, path = ''] = /workspace file (\S+) /.exec(String(stdout)) ?? [];
    expect(readFileSync(join(tools.home, path), 'utf8').split('\n')).toHaveLength(100_001);
  });

  test.each([
    [{ command: 'true', cwd: '../..' }, 'invalid_input'],
    [{ command: 'true', env: { 'A-B': '1' } }, 'invalid_input'],
    [{ command: 'a\0b' }, 'invalid_input'],
  ])('the arguments %j are refused', async (args, kind) => {
    await expect(run(shellRun, args)).rejects.toMatchObject({ kind });
  });

  test('one that takes too long says so, with what it had written', async () => {
    expect(await run(shellRun, { command: 'echo begun; sleep 99', timeout_s: 6 })).toMatchObject({
      exit_code: null,
      stdout: 'begun\n',
      ended: expect.stringContaining('longer than 6 seconds'),
    });
  });

  test('a command in a chat that has read text from outside marks what it leaves, and its output', async () => {
    await tools.close();
    tools = await createTestTools({ sandbox: box.sandbox, hasForeignText: true });
    const output = await prepareCall(shellRun, { command: 'echo x > left' }).run(tools.context);
    expect([output.isForeign, await tools.context.workspace.isForeign(['left'])]).toEqual([true, true]);
  });

  test.each([
    ['1 + 1', 2, ''],
    ['import math\nprint("hi")\nmath.floor(input * 2.5)', 7, 'hi\n'],
    ['x = [n * n for n in range(4)]\nx', [0, 1, 4, 9], ''],
    ['for i in range(2): print(i)', null, '0\n1\n'],
  ])('Python is run: %j', async (code, value, printed) => {
    expect(await python(code, 3)).toEqual({ value, printed });
  });

  test.each([
    ['1 / 0', 'upstream', 'ZeroDivisionError'],
    ['def', 'upstream', 'SyntaxError'],
    ['open("/work/x")', 'upstream', 'FileNotFoundError'],
    ['import socket; socket.create_connection(("1.1.1.1", 80), 2)', 'upstream', 'unreachable'],
  ])('Python that fails says why: %j', async (code, kind, words) => {
    await expect(python(code)).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
  });

  test('Python that runs for ever is ended', async () => {
    await expect(run(codeRun, { language: 'python', code: 'while True: pass', timeout_s: 1 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });
});
