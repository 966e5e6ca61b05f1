import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Shown {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly origin: string;
  readonly overrides: boolean;
  readonly overridden_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const SKILL_MD = '---\nname: release-notes\ndescription: How we write them.\nx-owner: docs\n---\nBe brief.\n';

const served = serveTestApi();
let owner: TestUser;
let client: ApiClient;
beforeAll(async () => {
  owner = await registerUser(served.url);
});
beforeEach(() => {
  client = owner.client;
});

const newKey = () => `k-${randomUUID()}`;

async function add(path: string, fields: Record<string, unknown> = {}): Promise<Shown> {
  const category = path === '/api/skills' ? { category: 'writing' } : {};
  const body = { key: newKey(), name: 'Sample', ...category, ...fields };
  const { status, json } = await client.post<Shown>(path, body);
  if (status !== 201) throw new Error(`creation answered ${status}: ${JSON.stringify(json)}`);
  return json;
}

const put = async (path: string, content: string) => client.send('PUT', path, { content });
const list = async (path: string) => (await client.get<Shown[]>(path)).json;
const builtin = async (kind: string, key: string) => {
  const found = (await list(`/api/${kind}/builtin`)).find((each) => each.key === key);
  if (found === undefined) throw new Error(`there is no builtin ${key}`);
  return found;
};

describe('a tool or skill', () => {
  test.each([
    [
      '/api/tools',
      { category: 'data' },
      {
        usable: false,
        problem: 'tool.json is missing',
        available: false,
        reason: 'tool.json is missing',
        only_in_chats: false,
      },
    ],
    [
      '/api/skills',
      { category: 'research' },
      { usable: false, problem: expect.stringContaining('SKILL.md is missing') },
    ],
  ])('is added, read, changed and deleted at %s', async (path, fields, more) => {
    const key = newKey();
    const added = await add(path, { key, description: 'Does.', ...fields });
    expect(added).toEqual({
      id: expect.any(String),
      owner_id: owner.id,
      key,
      name: 'Sample',
      description: 'Does.',
      version: '1.0.0',
      origin: 'custom',
      slug: null,
      overrides: false,
      overridden_by: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      ...fields,
      ...more,
    });
    const one = `${path}/${added.id}`;
    expect((await client.get(one)).json).toEqual(added);
    const changed = await client.patch<Shown>(one, { name: 'Other', category: 'custom' });
    expect(changed.json).toMatchObject({ id: added.id, key, name: 'Other', category: 'custom', description: 'Does.' });
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.get(one)).status).toBe(404);
  });

  test.each([
    ['/api/tools', { key: 'Upper' }, 'key'],
    ['/api/tools', { key: 'mcp' }, 'key'],
    ['/api/tools', { key: 'a b' }, 'key'],
    ['/api/tools', { category: 'nonsense' }, 'category'],
    ['/api/tools', { category: 'writing' }, 'category'],
    ['/api/skills', { category: undefined }, 'category'],
    ['/api/skills', { category: 'github' }, 'category'],
    ['/api/skills', { name: '' }, 'name'],
  ])('is refused at %s with %j', async (path, fields, field) => {
    const body = { key: newKey(), name: 'Sample', category: 'custom', ...fields };
    const { status, json } = await client.post<{ detail: { loc: string[] }[] }>(path, body);
    expect(status).toBe(422);
    expect(json.detail.map(({ loc }) => loc)).toEqual([['body', field]]);
  });

  test('is refused under the key of another one of its kind, added or renamed', async () => {
    const first = await add('/api/tools');
    const second = await add('/api/tools');
    const answers = [
      await client.post('/api/tools', { key: first.key, name: 'Again' }),
      await client.patch(`/api/tools/${second.id}`, { key: first.key }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([
        409,
        { detail: expect.stringContaining(`"${first.key}" already`) },
      ]);
    }
    expect(await add('/api/skills', { key: first.key })).toMatchObject({ key: first.key });
  });

  test('overrides a builtin one, or changes what does, only for an administrator', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const fields = { key: 'time_now', name: 'Mine', description: 'A sample.', category: 'custom' };
    expect((await member.client.post('/api/tools', fields)).status).toBe(403);
    const renamed = await member.client.post<{ id: string }>('/api/tools', { ...fields, key: 'other' });
    expect(renamed.status).toBe(201);
    const other = `/api/tools/${renamed.json.id}`;
    expect((await member.client.patch(other, { key: 'time_now' })).status).toBe(403);
    const { json } = await owner.client.post<{ id: string }>('/api/tools', fields);
    const own = `/api/tools/${json.id}`;
    const file = `${own}/files/main.js`;
    const sent = [
      member.client.patch(own, { name: 'Theirs' }),
      member.client.send('PUT', file, { content: 'export default () => 1' }),
      member.client.delete(file),
      member.client.delete(own),
    ];
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await owner.client.patch(own, { name: 'Ours' })).status).toBe(200);
  });

  test('overrides the builtin one of its key in this organization only, until it is deleted', async () => {
    const stranger = await registerUser(served.url);
    const original = await builtin('tools', 'json_query');
    const own = await add('/api/tools', { key: 'json_query', name: 'Ours' });
    expect(own).toMatchObject({ overrides: true, origin: 'custom' });
    const shown = (await list('/api/tools')).filter(({ key }) => key === 'json_query');
    expect(shown).toEqual([own]);
    expect(await builtin('tools', 'json_query')).toEqual({ ...original, overridden_by: own.id });
    const { json: theirs } = await stranger.client.get<Shown[]>('/api/tools');
    expect(theirs.filter(({ key }) => key === 'json_query')).toEqual([original]);
    await client.delete(`/api/tools/${own.id}`);
    expect((await list('/api/tools')).filter(({ key }) => key === 'json_query')).toEqual([original]);
  });

  test('that is builtin can be read and not be changed', async () => {
    const { id } = await builtin('tools', 'time_now');
    const one = `/api/tools/${id}`;
    expect((await client.get(one)).json).toMatchObject({ key: 'time_now', origin: 'builtin', overrides: false });
    expect((await client.get<{ path: string }[]>(`${one}/files`)).json).toMatchObject([{ path: 'tool.json' }]);
    expect((await client.get(`${one}/files/tool.json`)).json).toMatchObject({
      content: expect.stringContaining('time_now'),
    });
    const answers = [
      await client.patch(one, { name: 'Mine' }),
      await client.delete(one),
      await put(`${one}/files/tool.json`, '{}'),
      await client.delete(`${one}/files/tool.json`),
    ];
    for (const { status, json } of answers) {
      expect([status, json]).toEqual([409, { detail: expect.stringContaining('Builtin tools cannot be changed') }]);
    }
  });

  test('is listed in pages, own ones first', async () => {
    const stranger = await registerUser(served.url);
    client = stranger.client;
    const own = [await add('/api/tools'), await add('/api/tools')];
    const whole = await client.get<Shown[]>('/api/tools');
    const total = Number(whole.headers.get('x-total-count'));
    expect(whole.json).toHaveLength(total);
    expect(whole.json.slice(0, 2)).toEqual(own);
    const pages: Shown[] = [];
    for (let offset = 0; offset < total; offset += 3) {
      const page = await client.get<Shown[]>(`/api/tools?limit=3&offset=${offset}`);
      expect([page.json.length, page.headers.get('x-total-count')]).toEqual([
        Math.min(3, total - offset),
        String(total),
      ]);
      expect(page.headers.get('link') !== null).toBe(offset + 3 < total);
      pages.push(...page.json);
    }
    expect(pages).toEqual(whole.json);
  });

  test('of another organization appears as an unknown one', async () => {
    const tool = await add('/api/tools');
    await put(`/api/tools/${tool.id}/files/main.js`, 'x');
    client = (await registerUser(served.url)).client;
    const one = `/api/tools/${tool.id}`;
    const answers = [
      await client.get(one),
      await client.patch(one, { name: 'Mine' }),
      await client.delete(one),
      await client.get(`${one}/files`),
      await client.get(`${one}/files/main.js`),
      await put(`${one}/files/main.js`, 'y'),
      await client.delete(`${one}/files/main.js`),
    ];
    for (const { status, json } of answers) expect([status, json]).toEqual([404, { detail: 'Tool not found' }]);
  });
});

test('a skill is usable once it has its SKILL.md, as builtin ones are', async () => {
  const { id } = await add('/api/skills');
  const shown = async () => (await list('/api/skills')).find((each) => each.id === id);
  expect(await shown()).toMatchObject({ usable: false, problem: expect.stringContaining('SKILL.md is missing') });
  await put(`/api/skills/${id}/files/SKILL.md`, SKILL_MD);
  expect(await shown()).toMatchObject({ usable: true, problem: null });
  await client.delete(`/api/skills/${id}/files/SKILL.md`);
  expect(await shown()).toMatchObject({ usable: false });
  for (const skill of await list('/api/skills/builtin')) expect(skill).toMatchObject({ usable: true, problem: null });
});

describe('a file', () => {
  test('is written, listed in order, read, replaced and deleted, with slashes as they are or escaped', async () => {
    const { id, updated_at: before } = await add('/api/skills');
    const files = `/api/skills/${id}/files`;
    const written = await put(`${files}/SKILL.md`, SKILL_MD);
    expect([written.status, written.json]).toMatchObject([
      200,
      { path: 'SKILL.md', content: SKILL_MD, bytes: SKILL_MD.length },
    ]);
    await put(`${files}/references/api%20ü.md`, 'ä');
    await put(`${files}/references%2Fdeep%2Fa.md`, 'a');
    const all = await client.get<{ path: string; bytes: number }[]>(files);
    expect(all.json.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['SKILL.md', SKILL_MD.length],
      ['references/api ü.md', 2],
      ['references/deep/a.md', 1],
    ]);
    expect((await client.get(`${files}/references/deep/a.md`)).json).toMatchObject({ content: 'a' });
    expect((await put(`${files}/references/deep/a.md`, 'b')).json).toMatchObject({ content: 'b' });
    expect((await client.delete(`${files}/references/deep/a.md`)).status).toBe(204);
    expect((await client.get(`${files}/references/deep/a.md`)).json).toEqual({ detail: 'File not found' });
    expect((await client.delete(`${files}/references/deep/a.md`)).status).toBe(404);
    expect((await client.get<Shown>(`/api/skills/${id}`)).json.updated_at > before).toBe(true);
  });

  test.each([
    '..%2Fup.md',
    'a%2F..%2F..%2Fb',
    '%2Fetc%2Fpasswd',
    'a%5Cb',
    'a%00b',
    'a%0Ab',
    'a//b',
    're%CC%81sume.md',
    'x'.repeat(201),
    'C%3A%2Fa',
    'a%E2%80%AEb',
  ])('is refused at the path %s', async (path) => {
    const { id } = await add('/api/skills');
    const { status, json } = await put(`/api/skills/${id}/files/${path}`, 'x');
    expect([status, json]).toMatchObject([422, { detail: [{ loc: ['path', 'file_path'] }] }]);
    expect((await client.get(`/api/skills/${id}/files`)).json).toEqual([]);
  });

  test.each([
    ['skills', 'SKILL.md', '---\nname: a\n', 'must begin with front matter'],
    ['skills', 'SKILL.md', '---\nname: a\n---\n', 'description'],
    ['skills', 'SKILL.md', '---\nname: [\n---\n', 'not usable YAML'],
    ['skills', 'skill.json', '{}', 'made by exports'],
    ['skills', 'big.md', 'ü'.repeat(200_000), '256 KB'],
    ['tools', 'main.js', 'export default () => {\n  const a = ;\n}', 'Unexpected token (line 2, column 13)'],
    ['tools', 'tool.json', 'nonsense', 'not usable JSON'],
    ['tools', 'tool.json', '{"key":"another"}', 'must have the key of the tool'],
    ['tools', 'tool.json', '{"category":"nonsense"}', 'category'],
    ['tools', 'tool.json', '{"runtime":"http","timeout_s":121}', 'must be at most 120'],
    ['tools', 'http.json', '{"method":"GET","url":"https://{{ host }}/"}', 'it must begin with https://'],
    ['tools', 'http.json', '{"method":"GET","url":"https://e.com","result":"body.("}', 'result: it is not JSONata'],
    [
      'tools',
      'tool.json',
      '{"parameters":{"type":"object","properties":{"a":{"$ref":"https://e.com/"}}}}',
      'itself only',
    ],
    ['tools', 'tool.json', '{"parameters":{"type":"object","properties":{"a":{"pattern":"(a+)+$"}}}}', 'busy'],
  ])('of %s is refused with clear words, and nothing is stored: %s with %s', async (kind, path, content, words) => {
    const { id } = await add(`/api/${kind}`);
    const { status, json } = await put(`/api/${kind}/${id}/files/${path}`, content);
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining(words)]);
    expect((await client.get(`/api/${kind}/${id}/files`)).json).toEqual([]);
  });

  test('is refused beside one whose path differs in case only, or is a folder of it', async () => {
    const { id } = await add('/api/skills');
    await put(`/api/skills/${id}/files/notes/a.md`, 'a');
    for (const path of ['Notes/A.md', 'notes', 'notes/a.md/b']) {
      expect((await put(`/api/skills/${id}/files/${path}`, 'b')).status).toBe(409);
    }
    expect((await client.get<unknown[]>(`/api/skills/${id}/files`)).json).toHaveLength(1);
  });

  test('tool.json and its record say the same', async () => {
    const { id, key } = await add('/api/tools', { name: 'First', description: 'One.' });
    const file = `/api/tools/${id}/files/tool.json`;
    const said = { key, name: 'Second', category: 'web', parameters: { type: 'object' }, effect: 'read', x_own: 1 };
    const text = JSON.stringify(said);
    expect((await put(file, text)).json).toMatchObject({ content: text });
    const { json: record } = await client.get<Shown>(`/api/tools/${id}`);
    expect(record).toMatchObject({ name: 'Second', category: 'web', description: 'One.' });
    await client.patch(`/api/tools/${id}`, { name: 'Third', description: 'Two.', key: `${key}-2` });
    const { json: changed } = await client.get<{ content: string }>(file);
    expect(JSON.parse(changed.content)).toEqual({ ...said, name: 'Third', key: `${key}-2` });
  });
});

describe('SKILL.md and its record', () => {
  const text = (description: string, metadata = '') =>
    `---\n# Ours.\nname: notes\ndescription: ${description}\nlicense: MIT\n${metadata}---\n\nBe brief.\n`;
  const metadata = "metadata:\n  title: Notes\n  category: data\n  version: '2.1'\n  owner: docs\n";
  const contentOf = async (file: string) => (await client.get<{ content: string }>(file)).json.content;

  test('say the same, whichever is written', async () => {
    const { id } = await add('/api/skills', { name: 'First', description: 'One.' });
    const [one, file] = [`/api/skills/${id}`, `/api/skills/${id}/files/SKILL.md`];
    await put(file, text('Two.'));
    // What the file does not say stays as it was.
    expect((await client.get(one)).json).toMatchObject({ name: 'First', description: 'Two.', category: 'writing' });
    await client.patch(one, { name: 'Second', description: 'Three: "x".', category: 'custom' });
    expect(await contentOf(file)).toBe(text('\'Three: "x".\''));
    await put(file, text('Four.', metadata));
    const said = { name: 'Notes', description: 'Four.', category: 'data', version: '2.1' };
    expect((await client.get(one)).json).toMatchObject(said);
    await client.patch(one, { name: 'Third', category: 'web', version: '3', key: newKey() });
    const changed = metadata
      .replace('title: Notes', 'title: Third')
      .replace('category: data', 'category: web')
      .replace('2.1', '3');
    expect(await contentOf(file)).toBe(text('Four.', changed));
    expect((await client.get(one)).json).toMatchObject({ name: 'Third', category: 'web', version: '3' });
  });

  test('are independent of each other when the file has no front matter', async () => {
    const { id } = await add('/api/skills', { name: 'First', description: 'One.' });
    const [one, file] = [`/api/skills/${id}`, `/api/skills/${id}/files/SKILL.md`];
    expect(await put(file, '# Ours\n\nBe brief.')).toMatchObject({ status: 200, json: { path: 'SKILL.md' } });
    await client.patch(one, { description: '', key: newKey() });
    expect((await client.get(one)).json).toMatchObject({ name: 'First', description: '', usable: true });
    expect(await contentOf(file)).toBe('# Ours\n\nBe brief.');
  });

  test('share the key where the file has it', async () => {
    const key = newKey();
    const { id } = await add('/api/skills', { key });
    const file = `/api/skills/${id}/files/SKILL.md`;
    await put(file, `---\nname: ${key}\ndescription: Ours.\n---\nBe brief.\n`);
    await client.patch(`/api/skills/${id}`, { key: `${key}-2` });
    expect(await contentOf(file)).toBe(`---\nname: ${key}-2\ndescription: Ours.\n---\nBe brief.\n`);
  });

  test('are refused a description that the file cannot contain', async () => {
    const { id } = await add('/api/skills');
    await put(`/api/skills/${id}/files/SKILL.md`, text('Ours.'));
    for (const description of ['', 'x'.repeat(1_025)]) {
      const { status, json } = await client.patch(`/api/skills/${id}`, { description });
      expect([status, json]).toMatchObject([422, { detail: [{ loc: ['body', 'description', 'SKILL.md'] }] }]);
    }
    expect((await client.get(`/api/skills/${id}`)).json).toMatchObject({ description: 'Ours.' });
  });
});

describe('a persona', () => {
  const fields = {
    description: 'Edits texts.',
    icon: '✏️',
    system_prompt: 'You edit.',
    soul: { tone: 'warm', snake_case: { camelCase: 1 } },
    default_skills: ['summarize'],
    default_tools: ['time_now'],
  };

  test('is added, read, changed in part and deleted', async () => {
    const added = await add('/api/personas', fields);
    expect(added).toMatchObject({ ...fields, origin: 'custom', overrides: false });
    const one = `/api/personas/${added.id}`;
    expect((await client.get(one)).json).toEqual(added);
    expect((await list('/api/personas')).find(({ id }) => id === added.id)).toEqual(added);
    const { json } = await client.patch<Shown>(one, { soul: { tone: 'dry' }, name: 'Other' });
    expect(json).toEqual({ ...added, name: 'Other', soul: { tone: 'dry' }, updated_at: expect.any(String) });
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.get(one)).status).toBe(404);
  });

  test.each([
    ['nests deep', JSON.parse(`${'{"a":'.repeat(25)}1${'}'.repeat(25)}`)],
    ['has many values', Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at]))],
    ['is large', { a: 'x'.repeat(70_000) }],
    ['is a list', []],
  ])('is refused when its soul %s', async (_title, soul) => {
    const { status, json } = await client.post('/api/personas', { key: newKey(), name: 'A', soul });
    expect([status, json]).toMatchObject([422, { detail: [{ loc: ['body', 'soul'] }] }]);
  });

  test('with a million keys in its soul is refused as too large', async () => {
    const soul = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, at) => [at, 1]));
    expect((await client.post('/api/personas', { key: newKey(), name: 'A', soul })).status).toBe(413);
  });

  test('is that of an agent, also a builtin one, and is said to be missing when it is deleted', async () => {
    const { id } = await add('/api/personas');
    const shipped = await builtin('personas', 'architect');
    const agentId = await createAgent(client, { persona_id: id });
    const read = async () =>
      (await client.get<{ persona_id: string; missing: unknown }>(`/api/agents/${agentId}`)).json;
    const none = { tools: [], skills: [], persona_id: null };
    expect(await read()).toMatchObject({ persona_id: id, missing: none });
    await client.delete(`/api/personas/${id}`);
    expect(await read()).toMatchObject({ persona_id: id, missing: { ...none, persona_id: id } });
    const { json } = await client.patch(`/api/agents/${agentId}`, { persona_id: shipped.id });
    expect(json).toMatchObject({ persona_id: shipped.id, missing: none });
    const unknown = await client.patch(`/api/agents/${agentId}`, { persona_id: randomUUID() });
    expect([unknown.status, unknown.json]).toEqual([404, { detail: 'Persona not found' }]);
  });
});

test('an agent takes the keys of own tools, and says which tools and skills are missing once they are deleted', async () => {
  const tool = await add('/api/tools');
  const skill = await add('/api/skills');
  const agentId = await createAgent(client, { tools: [tool.key, 'time_now'], skills: [skill.key] });
  const missing = async () => (await client.get<{ missing: unknown }>(`/api/agents/${agentId}`)).json.missing;
  const unusable = { key: tool.key, problem: 'tool.json is missing' };
  expect(await missing()).toMatchObject({ tools: [], unusable_tools: [unusable], skills: [], persona_id: null });
  await client.delete(`/api/tools/${tool.id}`);
  await client.delete(`/api/skills/${skill.id}`);
  expect(await missing()).toMatchObject({
    tools: [tool.key],
    unusable_tools: [],
    skills: [skill.key],
    persona_id: null,
  });
  const again = await client.post('/api/agents', { name: 'New', tools: [tool.key] });
  expect([again.status, JSON.stringify(again.json)]).toEqual([422, expect.stringContaining('There is no tool')]);
});

describe('a member whose allowlists name certain keys', () => {
  let member: TestUser;
  let allowed: Shown;
  let hidden: Shown;
  beforeAll(async () => {
    client = owner.client;
    member = await registerColleague(served.api, owner, 'member');
    [allowed, hidden] = [await add('/api/tools'), await add('/api/tools')];
    const permissions = PERMISSION_CATALOG.map(({ key }) => key);
    const capabilities = { tool_keys: [allowed.key, 'time_now'] };
    const { json } = await client.post<{ id: string }>('/api/permissions/groups', {
      name: randomUUID(),
      permissions,
      capabilities,
    });
    await client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
  });
  beforeEach(() => {
    client = member.client;
  });

  test('sees those only, builtin ones too', async () => {
    expect((await list('/api/tools')).map(({ key }) => key)).toEqual([allowed.key, 'time_now']);
    expect((await list('/api/tools/builtin')).map(({ key }) => key)).toEqual(['time_now']);
  });

  test('is answered that others do not exist', async () => {
    const { id } =
      (await owner.client.get<Shown[]>('/api/tools/builtin')).json.find(({ key }) => key === 'file_read') ?? hidden;
    const one = `/api/tools/${hidden.id}`;
    const answers = [
      await client.get(one),
      await client.get(`/api/tools/${id}`),
      await client.get(`/api/tools/${id}/files`),
      await client.patch(one, { name: 'Mine' }),
      await client.delete(one),
      await client.get(`${one}/files`),
      await put(`${one}/files/a`, 'a'),
    ];
    for (const { status, json } of answers) expect([status, json]).toEqual([404, { detail: 'Tool not found' }]);
  });

  test('changes those, and gives them no other key', async () => {
    expect((await client.patch(`/api/tools/${allowed.id}`, { name: 'Mine' })).status).toBe(200);
    expect((await client.patch(`/api/tools/${allowed.id}`, { key: newKey() })).status).toBe(403);
  });
});

test('what permission groups can be given are the tools, skills and personas in effect in the organization', async () => {
  const [tool, skill, persona] = [await add('/api/tools'), await add('/api/skills'), await add('/api/personas')];
  const { json } = await client.get<Record<string, { key?: string; id?: string }[]>>('/api/permissions/assignable');
  expect(json['tools']?.map(({ key }) => key)).toEqual(expect.arrayContaining([tool.key, 'time_now']));
  expect(json['skills']?.map(({ key }) => key)).toContain(skill.key);
  expect(json['personas']?.map(({ id }) => id)).toEqual(
    expect.arrayContaining([persona.id, (await builtin('personas', 'architect')).id]),
  );
  const capabilities = { tool_keys: [tool.key], skill_keys: [skill.key], persona_ids: [persona.id] };
  const group = { name: randomUUID(), capabilities };
  expect((await client.post('/api/permissions/groups', group)).status).toBe(201);
  for (const wrong of [{ tool_keys: ['none'] }, { skill_keys: ['none'] }, { persona_ids: [randomUUID()] }]) {
    const answer = await client.post('/api/permissions/groups', { name: randomUUID(), capabilities: wrong });
    expect(answer.status).toBe(404);
  }
});
