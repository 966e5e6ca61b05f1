import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { digestOf } from '../../db/definitions/records.ts';
import { readDefinitionContent } from '../../db/definitions/read-definitions.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;
interface Item extends Fields {
  readonly slug: string;
  readonly version: string;
  readonly installed: Fields | null;
}
interface Installation {
  readonly version: string;
  readonly records: readonly {
    readonly kind: string;
    readonly id: string;
    readonly key: string;
    readonly outcome: string;
  }[];
}

const served = serveTestApi();
const PATH = '/api/marketplace';
const SLUG = 'support-triage';
let user: TestUser;
beforeEach(async () => {
  user = await registerUser(served.url);
});

const list = async (query = '') => (await user.client.get<Item[]>(`${PATH}${query}`)).json;
const slugs = async (query: string) => (await list(query)).map(({ slug }) => slug);
const install = async (slug = SLUG, query = '', who = user) =>
  who.client.post<Installation & { detail: string }>(`${PATH}/${slug}/install${query}`);

const installed = async () => (await list('?tag=triage'))[0]?.installed;
const differences = async (who = user) =>
  who.client.get<{ readonly files: readonly Fields[] }>(`${PATH}/${SLUG}/differences`);

/** Makes what was installed look as if an older version had been. */
async function makeOlder(table: 'definitions' | 'agents'): Promise<void> {
  const { system } = served.api.database;
  await system.query(`update ${table} set installed_digest = 'older' where org_id = $1 and slug is not null`, [
    user.orgId,
  ]);
}

/** Makes a skill look as if it had been installed as it is now. */
async function setInstalled(id: string): Promise<void> {
  const { database } = served.api;
  const content = await readDefinitionContent(database, { orgId: user.orgId, kind: 'skill', id });
  await database.system.query('update definitions set installed_digest = $2 where id = $1', [id, digestOf(content)]);
}

describe('the marketplace', () => {
  test('lists items by words, kind and tag, and which are installed', async () => {
    const all = await list();
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(all.every(({ installed }) => installed === null)).toBe(true);
    expect((await slugs('?q=release%20notes'))[0]).toBe('release-notes-writer');
    expect(await slugs('?kind=persona')).toEqual(['socratic-tutor']);
    expect(await slugs('?tag=triage')).toEqual([SLUG]);
    expect(await slugs('?q=nothing-of-that-kind')).toEqual([]);
    await install();
    const [item] = await list('?tag=triage');
    expect(item).toMatchObject({ source: 'builtin' });
    expect(item?.installed).toMatchObject({
      version: item?.version,
      source: 'builtin',
      can_upgrade: false,
      kept: [],
    });
  });

  test('shows an item with readme, files and needs', async () => {
    const { status, json } = await user.client.get<Fields>(`${PATH}/${SLUG}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      slug: SLUG,
      readme: expect.stringContaining('# Support triage'),
      contains: [
        { kind: 'agent', key: 'support_triage' },
        { kind: 'persona', key: 'support_desk' },
        { kind: 'skill', key: 'request_triage' },
      ],
      needs: { tools: expect.arrayContaining([{ key: 'memory_manage', is_available: true }]), credentials: [] },
    });
    expect((await user.client.get(`${PATH}/no-such-item`)).status).toBe(404);
    expect((await install('no-such-item')).status).toBe(404);
  });
});

describe('an installation', () => {
  test('adds ordinary records that belong together, and starts nothing', async () => {
    const { status, json } = await install();
    expect(status).toBe(200);
    const id = (kind: string) => json.records.find((record) => record.kind === kind)?.id ?? '';
    expect(json.records.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['persona', 'created'],
      ['skill', 'created'],
      ['agent', 'created'],
    ]);
    expect((await user.client.get(`/api/skills/${id('skill')}`)).json).toMatchObject({
      key: 'request_triage',
      origin: 'marketplace',
      slug: SLUG,
    });
    expect((await user.client.get(`/api/agents/${id('agent')}`)).json).toMatchObject({
      name: 'Support triage',
      persona_id: id('persona'),
      skills: ['request_triage'],
      slug: SLUG,
      version: json.version,
      missing: { skills: [], persona_id: null },
    });
    expect((await user.client.get('/api/chats')).json).toEqual([]);
  });

  test('of every item succeeds, and of all beside each other', async () => {
    for (const { slug } of await list()) expect([slug, (await install(slug)).status]).toEqual([slug, 200]);
    const again = await Promise.all((await list()).slice(0, 3).map(async ({ slug }) => install(slug)));
    for (const { json } of again)
      expect(new Set(json.records.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  });

  test('at the same time as another one makes each record once', async () => {
    const answers = await Promise.all([install(), install(), install()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await user.client.get<Fields[]>('/api/agents')).json).toHaveLength(1);
  });

  test('leaves edits alone while the item is no newer, and brings back what was deleted', async () => {
    const { json: first } = await install();
    const agent = first.records.find(({ kind }) => kind === 'agent');
    await user.client.patch(`/api/agents/${agent?.id}`, { name: 'Ours' });
    const { json: second } = await install();
    expect(second.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    await user.client.delete(`/api/agents/${agent?.id}`);
    const { json: third } = await install();
    expect(third.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'created']);
  });

  test('brings back the originals of edited records on demand, also in the same version', async () => {
    const { json: first } = await install();
    const path = (kind: string) => `/api/${kind}s/${first.records.find((record) => record.kind === kind)?.id}`;
    await user.client.patch(path('agent'), { name: 'Ours', provider_chain_id: null });
    await user.client.patch(path('skill'), { description: 'Ours' });
    expect((await install()).json.records.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    const { json: replaced } = await install(SLUG, '?edited=replace');
    expect(replaced.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated', 'updated']);
    expect((await user.client.get<Fields>(path('agent'))).json).toMatchObject({ name: 'Support triage' });
    expect((await user.client.get<Fields>(path('skill'))).json['description']).not.toBe('Ours');
    const again = await install(SLUG, '?edited=replace');
    expect(again.json.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });

  test('of a newer version in which an agent is the same gives the agent that version', async () => {
    const { json } = await install();
    const agent = json.records.find(({ kind }) => kind === 'agent');
    await served.api.database.system.query("update agents set version = '0.1.0' where id = $1", [agent?.id]);
    expect((await install()).json.records.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    expect((await user.client.get(`/api/agents/${agent?.id}`)).json).toMatchObject({ version: json.version });
  });

  test('of a newer version loses no edits unless that is wanted, and shows the differences', async () => {
    const { json: first } = await install();
    const skill = first.records.find(({ kind }) => kind === 'skill');
    const agent = first.records.find(({ kind }) => kind === 'agent');
    await user.client.send('PUT', `/api/skills/${skill?.id}/files/SKILL.md`, {
      content: '---\nname: request-triage\ndescription: Older.\n---\n\nOlder.\n',
    });
    await user.client.patch(`/api/agents/${agent?.id}`, { name: 'Older' });
    await makeOlder('definitions');
    await makeOlder('agents');
    const refused = await install();
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('Nothing was installed')]);
    expect(refused.json.detail).toContain('-Older.');
    expect(refused.json.detail).toContain('-  "name": "Older"');
    expect((await user.client.get(`/api/agents/${agent?.id}`)).json).toMatchObject({ name: 'Older' });
    const kept = await install(SLUG, '?edited=keep');
    expect(kept.json.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'kept', 'kept']);
    const left = [
      { kind: 'skill', key: 'request_triage' },
      { kind: 'agent', key: 'support_triage' },
    ];
    expect((await installed())?.['kept']).toEqual(left);
    expect((await install()).json.records.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    // What was left out is still told, and can still be seen.
    expect((await installed())?.['kept']).toEqual(left);
    // Comparing two files is given up after some milliseconds, however little of them a busy machine has spent on it.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const { files } = (await differences()).json;
    clock.mockRestore();
    expect(files.map(({ kind, path }) => [kind, path])).toEqual([
      ['skill', 'SKILL.md'],
      ['skill', 'skill.json'],
      ['agent', 'agent.json'],
    ]);
    expect(files[0]).toMatchObject({ difference: expect.stringContaining('-Older.'), is_foreign: false, note: null });
    await makeOlder('definitions');
    await makeOlder('agents');
    const replaced = await install(SLUG, '?edited=replace');
    expect(replaced.json.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated', 'updated']);
    expect((await user.client.get(`/api/agents/${agent?.id}`)).json).toMatchObject({ name: 'Support triage' });
    expect((await installed())?.['kept']).toEqual([]);
    expect((await differences()).json).toEqual({ slug: SLUG, version: first.version, files: [], uncompared: [] });
  });

  test('names what was kept no longer once it was deleted', async () => {
    const { json } = await install();
    const skill = json.records.find(({ kind }) => kind === 'skill');
    await user.client.patch(`/api/skills/${skill?.id}`, { description: 'Ours' });
    await makeOlder('definitions');
    await install(SLUG, '?edited=keep');
    expect((await installed())?.['kept']).toEqual([{ kind: 'skill', key: 'request_triage' }]);
    await user.client.delete(`/api/skills/${skill?.id}`);
    expect((await installed())?.['kept']).toEqual([]);
  });

  test('of a newer version replaces what nobody has edited', async () => {
    const { json } = await install();
    const { system } = served.api.database;
    const skill = json.records.find(({ kind }) => kind === 'skill');
    await user.client.send('PUT', `/api/skills/${skill?.id}/files/notes.md`, { content: 'Of the older version' });
    const { rows } = await system.query<{ files: number }>(
      'select file_count as files from definitions where id = $1',
      [skill?.id],
    );
    expect(rows).toEqual([{ files: 2 }]);
    await setInstalled(skill?.id ?? '');
    expect((await install()).json.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated', 'unchanged']);
    expect((await user.client.get<Fields[]>(`/api/skills/${skill?.id}/files`)).json).toHaveLength(1);
  });

  test('never replaces a record of the organization that has the same key', async () => {
    const own = { key: 'request_triage', name: 'Ours', description: '', category: 'custom' };
    const { json: skill } = await user.client.post<{ id: string }>('/api/skills', own);
    for (const query of ['', '?edited=replace']) {
      const answer = await install(SLUG, query);
      expect([answer.status, answer.json.detail]).toEqual([
        409,
        expect.stringContaining('which stay in any case: skill "request_triage"'),
      ]);
    }
    expect((await user.client.get('/api/agents')).json).toEqual([]);
    const { json } = await install(SLUG, '?edited=keep');
    expect(json.records.map(({ outcome }) => outcome)).toEqual(['created', 'kept', 'created']);
    expect((await user.client.get(`/api/skills/${skill.id}`)).json).toMatchObject({ name: 'Ours', slug: null });
    expect((await installed())?.['kept']).toEqual([{ kind: 'skill', key: 'request_triage' }]);
    expect((await differences()).json.files).toMatchObject([
      { path: 'SKILL.md', is_foreign: true },
      { path: 'skill.json', is_foreign: true },
    ]);
  });

  test('is compared with those records only that the caller may see', async () => {
    const { json } = await install();
    for (const { kind, id } of json.records) await user.client.patch(`/api/${kind}s/${id}`, { name: 'Ours' });
    const agent = json.records.find(({ kind }) => kind === 'agent')?.id;
    const member = await registerColleague(served.api, user, 'member');
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
    const path = `/api/permissions/groups/${group.json.id}`;
    await user.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
    const seenWith = async (fields: Fields) => {
      expect((await user.client.patch(path, fields)).status).toBe(200);
      return new Set((await differences(member)).json.files.map(({ kind }) => kind));
    };
    const all = ['marketplace.view', 'agents.view', 'skills.view', 'personas.view'];
    expect(await seenWith({ permissions: all })).toEqual(new Set(['persona', 'skill', 'agent']));
    expect(await seenWith({ permissions: ['marketplace.view', 'skills.view'] })).toEqual(new Set(['skill']));
    const capabilities = { skill_keys: ['git'], agent_ids: [agent] };
    expect(await seenWith({ permissions: all, capabilities })).toEqual(new Set(['persona', 'agent']));
  });

  test('leaves it to those who may change a record whether it is kept in a newer version', async () => {
    const { json } = await install();
    const record = (kind: string) => json.records.find((each) => each.kind === kind)?.id ?? '';
    const agent = `/api/agents/${record('agent')}`;
    expect((await user.client.patch(agent, { name: 'Ours', tools: ['file_write'] })).status).toBe(200);
    expect((await user.client.patch(`/api/skills/${record('skill')}`, { description: 'Ours.' })).status).toBe(200);
    await makeOlder('agents');
    await makeOlder('definitions');
    const member = await registerColleague(served.api, user, 'member');
    const permissions = ['marketplace.manage', 'agents.manage', 'skills.manage', 'personas.manage'];
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow', permissions });
    const path = `/api/permissions/groups/${group.json.id}`;
    expect((await user.client.patch(path, { capabilities: { tool_keys: ['time_now'] } })).status).toBe(200);
    await user.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
    expect((await install(SLUG, '?edited=keep', member)).status).toBe(200);
    const again = await install();
    expect(again.status).toBe(409);
    for (const kind of ['agent', 'skill']) expect(again.json.detail).toContain(`${kind} "`);
    expect((await install(SLUG, '?edited=keep')).status).toBe(200);
    expect((await install()).status).toBe(200);
  });

  test('grants nothing: who could not add the records one by one cannot install them', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
    const path = `/api/permissions/groups/${group.json.id}`;
    await user.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
    const tryWith = async (fields: Fields) => {
      expect((await user.client.patch(path, fields)).status).toBe(200);
      const { status, json } = await install(SLUG, '', member);
      return [status, json.detail];
    };
    const all = ['marketplace.manage', 'agents.manage', 'skills.manage', 'personas.manage'];
    expect(await tryWith({ permissions: ['marketplace.manage'] })).toEqual([
      403,
      expect.stringContaining('agents.manage'),
    ]);
    expect(await tryWith({ permissions: all, capabilities: { tool_keys: ['time_now'] } })).toEqual([
      403,
      expect.stringContaining('the tool'),
    ]);
    expect(await tryWith({ permissions: all, capabilities: { tool_keys: [], skill_keys: ['agent_spawn'] } })).toEqual([
      403,
      expect.stringContaining('certain skills only'),
    ]);
    expect((await tryWith({ permissions: all, capabilities: { tool_keys: [], skill_keys: [] } }))[0]).toBe(200);
  });
});
