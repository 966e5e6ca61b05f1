import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runCli } from '../../packages/cli/src/run-cli.ts';
import { Interrupts } from '../../packages/cli/src/environment.ts';
import { registerUser } from '../support/factories.ts';
import { invite, newEmail } from '../support/invitations.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
let home: string;
beforeAll(async () => {
  instance = await startTestInstance();
  chat = await OpenChat.create(instance);
});
afterAll(async () => {
  chat.close();
  await instance.close();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'everturn-cli-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Gives a test a user and a chat of its own; other tests share one. */
async function openOwnChat(): Promise<void> {
  chat.close();
  chat = await OpenChat.create(instance);
}

/** Where sign-ins are kept. */
const credentials = () => join(home, 'everturn/credentials.json');
/** Of whoever has signed in before. */
const signedIn = () => ({ EVERTURN_URL: instance.api.url, EVERTURN_API_KEY: chat.user.accessToken });

/** A program that runs, at a terminal when it is to be typed into. */
function start(args: readonly string[], { env = {}, isTerminal = false }: { env?: object; isTerminal?: boolean } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const written = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new PassThrough().on('data', (data: Buffer) => (written[name] += data.toString()));
  let hasLeft = false;
  const interrupts = new Interrupts(() => (hasLeft = true));
  const environment = {
    env: { XDG_CONFIG_HOME: home, ...env },
    stdin,
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    interrupts,
  };
  const exitCode = runCli(args, environment);
  return {
    exitCode,
    written,
    interrupts,
    type: (keys: string) => stdin.write(keys),
    end: (input = '') => stdin.end(input),
    hasLeft: () => hasLeft,
    waitFor: async (name: 'stdout' | 'stderr', text: string) =>
      waitUntil(`"${text}"`, () => written[name].includes(text) || undefined),
  };
}

/** Runs the program to its end. */
async function run(args: readonly string[], { input = '', env = signedIn() }: { input?: string; env?: object } = {}) {
  const program = start(args, { env });
  program.end(input);
  return { exitCode: await program.exitCode, ...program.written };
}

/** Passes requests on to the instance, but for those that fail as they do while it restarts. */
async function failing(isDown: (request: IncomingMessage) => boolean) {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${instance.api.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(request.method === 'POST' && { body: await text(request) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  const server = createServer((request, response) => {
    if (isDown(request)) response.writeHead(503, { 'retry-after': '0' }).end('{}');
    else void pass(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const json = (text: string): unknown => JSON.parse(text);
const linesOf = (text: string) => text.trim().split('\n').map(json);

describe('everturn login', () => {
  const at = () => ['--url', instance.api.url];

  test('takes a password from standard input, keeps a key that only its owner can read, and logout revokes it', async () => {
    const { email, password } = chat.user;
    const signIn = await run([...at(), 'login', '--email', email], { input: `${password}\n`, env: {} });
    expect(signIn).toMatchObject({ exitCode: 0, stderr: '' });
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    const kept = readFileSync(credentials(), 'utf8');
    expect(kept).not.toContain(password);
    const { servers } = json(kept) as { servers: Record<string, { apiKey: string }> };
    const key = servers[instance.api.url]?.apiKey ?? '';
    expect((await chat.user.client.as(key).get('/api/users/me')).status).toBe(200);

    const status = await run(['status', '--json'], { env: {} });
    expect(json(status.stdout)).toMatchObject({
      url: instance.api.url,
      email,
      engine: 'reachable',
      org: { role: 'owner' },
    });

    expect((await run(['logout'], { env: {} })).exitCode).toBe(0);
    expect((await chat.user.client.as(key).get('/api/users/me')).status).toBe(401);
    const { exitCode, stderr } = await run([...at(), 'status'], { env: {} });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('You are not signed in at')]);
  });

  test('keeps the key when the session that it was created in cannot be ended', async () => {
    const { email, password } = chat.user;
    const { url, close } = await failing(({ url: path }) => path === '/api/auth/logout');
    const signIn = await run(['--url', url, 'login', '--email', email], { input: password, env: {} });
    close();
    expect(signIn).toMatchObject({ exitCode: 0, stderr: '' });
    const { servers } = json(readFileSync(credentials(), 'utf8')) as { servers: Record<string, { apiKey: string }> };
    expect((await chat.user.client.as(servers[url]?.apiKey).get('/api/users/me')).status).toBe(200);
  });

  test('revokes the key when that cannot be stored', async () => {
    const { email, password } = chat.user;
    const keys = async () => (await chat.user.client.get<unknown[]>('/api/users/me/api-keys')).json.length;
    const before = await keys();
    mkdirSync(`${credentials()}.${process.pid}`, { recursive: true });
    const { exitCode, stderr } = await run([...at(), 'login', '--email', email], { input: password, env: {} });
    expect([exitCode, stderr]).toEqual([1, `${credentials()} cannot be written.\n`]);
    expect(await keys()).toBe(before);
  });

  test('asks on a terminal, which does not show the password', async () => {
    const program = start([...at(), 'login'], { isTerminal: true });
    await program.waitFor('stderr', 'E-mail address: ');
    program.type(`${chat.user.email}\r`);
    await program.waitFor('stderr', 'Password: ');
    program.type(`${chat.user.password}\r`);
    expect(await program.exitCode).toBe(0);
    expect(JSON.stringify(program.written)).not.toContain(chat.user.password);
  });

  test('redeems an invite, and logout signs the device out', async () => {
    const { token } = await invite(chat.user, { email: newEmail() });
    expect((await run([...at(), 'login', '--invite'], { input: token, env: {} })).exitCode).toBe(0);
    const { servers } = json(readFileSync(credentials(), 'utf8')) as { servers: Record<string, { apiKey: string }> };
    const device = chat.user.client.as(servers[instance.api.url]?.apiKey);
    expect((await device.get('/api/users/me/devices')).json).toHaveLength(1);
    expect((await run(['logout'], { env: {} })).exitCode).toBe(0);
    expect((await device.get('/api/users/me')).status).toBe(401);
  });

  test.each([
    ['a wrong password', ['login', '--email', 'nobody@example.com'], 'The e-mail address or the password is wrong.'],
    ['a wrong key', ['login', '--api-key'], 'The server does not accept your key'],
  ])('keeps nothing of %s', async (_name, args, reason) => {
    const { exitCode, stderr } = await run([...at(), ...args], { input: 'wrong', env: {} });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(reason)]);
    expect(statSync(credentials(), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('everturn says in one sentence', () => {
  /** Answers every request with the same, or leads it to another address. */
  async function answering(body: string, location?: string) {
    const server = createServer((_request, response) => {
      if (location !== undefined) response.writeHead(301, { location });
      response.end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it has no port');
    return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
  }
  const statusAt = async (url: string, key = 'et_key_wrong') =>
    run(['status'], { env: { EVERTURN_URL: url, EVERTURN_API_KEY: key } });

  test('that nothing listens at the address, that something else does, and that the server has another version', async () => {
    const page = await answering('<html></html>');
    const later = await answering('{"version":"9.1.0"}');
    page.close();
    expect(await statusAt(page.url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^No server can be reached at .*\n$/),
    });
    const other = await answering('<html></html>');
    expect(await statusAt(other.url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not the address of an Everturn server'),
    });
    expect(await statusAt(later.url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has the version 9.1.0 and this program'),
    });
    for (const server of [other, later]) server.close();
  });

  test('that the address leads to another one', async () => {
    const moved = await answering('', instance.api.url);
    const { exitCode, stderr } = await statusAt(moved.url);
    moved.close();
    expect([exitCode, stderr]).toEqual([
      1,
      `${moved.url}/api/server redirects to ${instance.api.url}: use the address of the server itself\n`,
    ]);
  });

  test('which file or folder cannot be used', async () => {
    writeFileSync(join(home, 'taken'), '');
    const { exitCode, stderr } = await run(['agents', 'export', join(home, 'taken/agents')]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^\/.*taken.*: not a directory\.\n$/)]);
  });

  test('that a key is not valid any more', async () => {
    const answer = await statusAt(instance.api.url);
    expect([answer.exitCode, answer.stderr]).toEqual([
      3,
      expect.stringMatching(/^The server does not accept your key.*\n$/),
    ]);
  });

  test.each([
    [['frob']],
    [['agents']],
    [['--url', 'ftp://example.com', 'status']],
    [['chat']],
    [['chat', 'Plans for May', '--message', 'Hello']],
    [['run', 'Report', '--var', 'novalue']],
  ])('what is wrong with %j', async (args) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain('    at ');
    const asJson = await run(['--json', ...args]);
    expect([asJson.exitCode, json(asJson.stderr)]).toEqual([2, { error: expect.stringMatching(/^[^\n]+$/) }]);
  });

  test('which options contradict each other', async () => {
    const { exitCode, stderr } = await run(['login', '--api-key', '--email', 'ada@example.com']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
  });
});

test('the help of each command names the options that all of them take', async () => {
  const { stdout } = await run(['agents', 'export', '--help']);
  expect(stdout).toMatch(/--url <address>[^]*--json/);
});

describe('everturn chat', () => {
  test('begins a chat with an agent, and writes the answer to a message', async () => {
    const { exitCode, stdout } = await run(['chat', '--agent', 'Test agent', '--message', '[[say one two]]']);
    expect([exitCode, stdout]).toEqual([0, 'one two\n']);
  });

  test('takes a message from standard input, and writes events as JSON', async () => {
    const { exitCode, stdout } = await run(['chat', chat.id, '--json'], { input: '[[say hello]]' });
    const events = linesOf(stdout) as { type: string; message?: { content: string } }[];
    expect([exitCode, events[0]?.type, events.at(-1)?.message?.content]).toEqual([0, 'stream_start', 'hello']);
  });

  test('fails with the reason, when the turn fails', async () => {
    const { exitCode, stdout, stderr } = await run([
      'chat',
      chat.id,
      '--message',
      '[[error-in-stream after 3 chunks]]',
    ]);
    expect([exitCode, stdout]).toEqual([1, 'w1 w2 w3\n']);
    expect(stderr).not.toBe('');
  });

  test('is a conversation on a terminal, whose answers Ctrl-C interrupts', async () => {
    await openOwnChat();
    const program = start(['chat', chat.id], { env: signedIn(), isTerminal: true });
    await program.waitFor('stderr', '> ');
    program.type('[[say first]]\r');
    await program.waitFor('stdout', 'first\n');
    const gate = randomUUID();
    program.type(`[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]\r`);
    await program.waitFor('stdout', 'w1 w2 w3');
    program.interrupts.raise();
    await program.waitFor('stderr', 'Interrupted.');
    expect(program.hasLeft()).toBe(false);
    program.type('\u0004');
    expect(await program.exitCode).toBe(0);
    expect((await chat.answers()).map(({ content }) => content)).toEqual(['first', 'w1 w2 w3']);
    instance.model.release(gate);
  });

  test('is left by a second Ctrl-C', async () => {
    await openOwnChat();
    const gate = randomUUID();
    const program = start(
      ['chat', chat.id, '--message', `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`],
      {
        env: signedIn(),
      },
    );
    await program.waitFor('stdout', 'w1 w2 w3');
    program.interrupts.raise();
    program.interrupts.raise();
    expect(program.hasLeft()).toBe(true);
    expect(await program.exitCode).toBe(130);
    instance.model.release(gate);
  });
});

describe('everturn run', () => {
  beforeEach(openOwnChat);

  const addWorkflow = async (prompt: string) => {
    const agents = await chat.user.client.get<{ id: string }[]>('/api/agents');
    const workflow = { name: 'Report', agent_id: agents.json[0]?.id, prompt_template: prompt };
    await chat.user.client.post('/api/workflows', workflow);
  };

  test('follows a run to its output, and logs show what it did', async () => {
    await addWorkflow('[[say {{ greeting }} {{ name }}]]');
    const args = ['run', 'Report', '--var', 'name=Ada', '--vars', '-', '--follow', '--json'];
    const { exitCode, stdout } = await run(args, { input: '{"greeting":"Hello","name":"nobody"}' });
    const ended = json(stdout) as { id: string; output: string };
    expect([exitCode, ended.output]).toEqual([0, 'Hello Ada']);
    const logs = await run(['logs', ended.id]);
    expect(logs).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/Turn .* of Test agent\n.*Queued.*\n.*Model .*: replied/),
    });
  });

  test('follows a run while the server restarts', async () => {
    await addWorkflow('[[say done]]');
    let failures = 0;
    const { url, close } = await failing(({ url: path = '' }) => path.includes('/runs/') && (failures += 1) <= 9);
    const followed = await run(['--url', url, 'run', 'Report', '--follow']);
    close();
    expect(followed).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect(failures).toBeGreaterThan(9);
  });

  test('fails when the run fails, and is interrupted by Ctrl-C', async () => {
    await addWorkflow('[[{{ what }}]]');
    const failed = await run(['run', 'Report', '--var', 'what=status 400', '--follow']);
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('The run has failed: ') });
    const gate = randomUUID();
    const blocked = start(['run', 'Report', '--var', `what=hold ${gate}`, '--follow'], { env: signedIn() });
    await blocked.waitFor('stderr', '[running]');
    blocked.interrupts.raise();
    expect(await blocked.exitCode).toBe(130);
    instance.model.release(gate);
  });
});

test('everturn schedules lists, deactivates and activates them, and runs one now', async () => {
  await openOwnChat();
  const agents = await chat.user.client.get<{ id: string }[]>('/api/agents');
  const schedule = { name: 'Weekly', agent_id: agents.json[0]?.id, cron_expr: '0 9 * * mon', prompt: '[[say done]]' };
  await chat.user.client.post('/api/schedules', schedule);
  expect((await run(['schedules'])).stdout).toMatch(/^NAME .*\nWeekly {2}0 9 \* \* mon UTC {2}\d{4}-/);
  expect((await run(['schedules', 'deactivate', 'Weekly'])).stdout).toBe('Weekly is not active.\n');
  expect((await run(['schedules', 'activate', 'Weekly'])).stdout).toMatch(/^Weekly is active and runs next at /);
  for (const word of ['run', 'trigger'])
    expect(await run(['schedules', word, 'Weekly', '--follow'])).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  const unknown = await run(['schedules', 'deactivate', 'Monthly']);
  expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing named "Monthly"') });
});

describe('everturn agents', () => {
  const skill = (text: string) => `---\nname: notes\ndescription: How we write notes.\n---\n${text}\n`;
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]);

  beforeEach(async () => {
    await openOwnChat();
    const { client } = chat.user;
    const { json: added } = await client.post<{ id: string }>('/api/skills', {
      key: 'our_notes',
      name: 'Our notes',
      category: 'writing',
    });
    await client.send('PUT', `/api/skills/${added.id}/files/SKILL.md`, { content: skill('Be brief.') });
    const persona = { key: 'editor', name: 'Editor', system_prompt: 'You edit.', soul: { tone: 'warm' } };
    const { json: made } = await client.post<{ id: string }>('/api/personas', persona);
    await client.post('/api/agents', {
      name: 'Chief Editor',
      system_prompt: 'Edit texts.\n',
      skills: ['our_notes'],
      tools: ['time_now'],
      persona_id: made.id,
      requires_approval: { time_now: 'always' },
    });
  });

  test('are exported as files, and imported elsewhere they are the same', async () => {
    const [one, other] = [join(home, 'one'), join(home, 'other')];
    const exported = await run(['agents', 'export', one, 'Chief Editor']);
    expect(exported).toMatchObject({ exitCode: 0, stdout: `1 agent is in ${one}.\n` });
    expect(filesOf(one).map(([path]) => path)).toEqual([
      'agents/chief_editor/PROMPT.md',
      'agents/chief_editor/agent.json',
      'personas/editor/PROMPT.md',
      'personas/editor/persona.json',
      'skills/our_notes/SKILL.md',
      'skills/our_notes/skill.json',
    ]);
    const env = {
      EVERTURN_URL: instance.api.url,
      EVERTURN_API_KEY: (await registerUser(instance.api.url)).accessToken,
    };
    expect(await run(['agents', 'import', one], { env })).toMatchObject({
      exitCode: 0,
      stdout: 'add     skills/our_notes\nadd     personas/editor\nadd     agents/chief_editor\n',
    });
    expect(await run(['agents', 'diff', one], { env })).toMatchObject({ exitCode: 0, stdout: '' });
    await run(['agents', 'export', other], { env });
    expect(filesOf(other)).toEqual(filesOf(one));
  });

  test('are changed as their files say, after a diff and a dry run have said how', async () => {
    const folder = join(home, 'agents-of-team');
    await run(['agents', 'export', folder]);
    writeFileSync(join(folder, 'agents/chief_editor/PROMPT.md'), 'Edit texts well.\n');
    expect((await run(['agents', 'diff', folder])).stderr).toBe('1 record differs from the server.\n');
    writeFileSync(join(folder, 'skills/our_notes/SKILL.md'), skill('Be clear.'));
    writeFileSync(join(folder, 'skills/our_notes/example.md'), 'An example.\n');
    writeFileSync(join(folder, 'personas/editor/PROMPT.md'), 'You edit with care.');

    const diff = await run(['agents', 'diff', folder]);
    expect([diff.exitCode, diff.stderr]).toEqual([1, '3 records differ from the server.\n']);
    expect(diff.stdout).toContain('-Be brief.\n+Be clear.');
    expect(diff.stdout).toContain('+++ agents/chief_editor/PROMPT.md');
    const plan = await run(['agents', 'import', folder, '--dry-run']);
    expect(plan.stdout).toBe(
      'change  skills/our_notes\nchange  personas/editor\nchange  agents/chief_editor\nas is   agents/test_agent\n',
    );
    expect((await run(['agents', 'diff', folder])).stdout).toBe(diff.stdout);
    expect(await run(['agents', 'import', folder])).toMatchObject({ exitCode: 0, stdout: plan.stdout });
    expect(await run(['agents', 'diff', folder])).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('are exported without those of which several have one name', async () => {
    const folder = join(home, 'named');
    await chat.user.client.post('/api/agents', { name: 'Test agent' });
    expect((await run(['agents', 'export', folder, 'Chief Editor'])).exitCode).toBe(0);
    const whole = await run(['agents', 'export', folder]);
    expect([whole.exitCode, whole.stderr]).toEqual([
      1,
      'Several agents are named "Test agent": rename all but one of them.\n',
    ]);
  });

  test('are not read from files that say something else', async () => {
    const folder = join(home, 'broken');
    await run(['agents', 'export', folder]);
    writeFileSync(join(folder, 'agents/test_agent/agent.json'), '{"name":"Test agent","tool":[]}');
    const broken = await run(['agents', 'import', folder]);
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      'agents/test_agent/agent.json has the unknown field "tool".\n',
    ]);
    expect(await run(['agents', 'import', join(home, 'nowhere')])).toMatchObject({ exitCode: 2 });
  });

  test.each([
    ['skills/our_notes/skill.json', '{', 'is no JSON object.'],
    ['personas/editor/persona.json', '[]', 'is no JSON object.'],
    ['agents/test_agent/PROMPT.md', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'is not text in UTF-8.'],
    [
      'agents/test_agent/agent.json',
      '{"name":"Test agent","persona":"poet"}',
      'There is no persona with the key "poet".',
    ],
  ])('change nothing when one file cannot be brought to the server (%s)', async (path, content, reason) => {
    const folder = join(home, 'half');
    await run(['agents', 'export', folder]);
    writeFileSync(join(folder, 'agents/chief_editor/PROMPT.md'), 'Edit texts well.\n');
    writeFileSync(join(folder, path), content);
    const { exitCode, stdout, stderr } = await run(['agents', 'import', folder]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^.*\n$/)]);
    expect(stderr).toContain(reason);
    await run(['agents', 'export', folder]);
    expect(readFileSync(join(folder, 'agents/chief_editor/PROMPT.md'), 'utf8')).not.toContain('well');
  });

  test('are read from JSON with a byte order mark, which programs of Windows write', async () => {
    const folder = join(home, 'marked');
    await run(['agents', 'export', folder]);
    const path = join(folder, 'agents/test_agent/agent.json');
    writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8')}`);
    expect(await run(['agents', 'diff', folder])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });
});
