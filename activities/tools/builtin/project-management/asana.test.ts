import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, type Reply } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { asana } from './asana.ts';

const TOKEN = '2/a-token-of-the-tests';
let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await startService(asana, { kind: 'asana', secrets: { token: TOKEN } });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const answering = (...replies: Reply[]) => {
  fixture.server.reply = (response, request) => replies.shift()?.(response, request);
};
const urls = () => fixture.server.seen.map(({ url }) => url.split('opt_fields')[0]);
const TASK = { gid: '7', resource_type: 'task', name: 'Write', completed: false, assignee: { gid: '1', name: 'Ann' } };
const SHOWN = { gid: '7', name: 'Write', completed: false, assignee: { gid: '1', name: 'Ann' } };

describe('asana', () => {
  test('lists the tasks of a project, page by page', async () => {
    answering(
      json({ data: [TASK], next_page: { offset: 'o-2', path: '/x', uri: 'x' } }),
      json({ data: [], next_page: null }),
    );
    expect(await use({ action: 'search', project_id: '3' })).toEqual({ tasks: [SHOWN], next: 'o-2' });
    expect(await use({ action: 'search', project_id: '3', cursor: 'o-2' })).toEqual({ tasks: [] });
    expect(urls()).toEqual(['/api/1.0/projects/3/tasks?limit=25&', '/api/1.0/projects/3/tasks?limit=25&offset=o-2&']);
    expect(fixture.server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('searches a workspace, by names where its plan has no search', async () => {
    answering(
      json({ data: [TASK] }),
      json({ errors: [{ message: 'Search is not available' }] }, 402),
      json({ data: [TASK] }),
    );
    const args = { action: 'search', workspace_id: '2', query: 'a & b' };
    expect([await use(args), await use(args)]).toEqual([{ tasks: [SHOWN] }, { tasks: [SHOWN] }]);
    expect(urls()).toEqual([
      '/api/1.0/workspaces/2/tasks/search?text=a+%26+b&limit=25&sort_by=modified_at&',
      '/api/1.0/workspaces/2/tasks/search?text=a+%26+b&limit=25&sort_by=modified_at&',
      '/api/1.0/workspaces/2/typeahead?resource_type=task&query=a+%26+b&count=25&',
    ]);
  });

  test('reads a task with its comments', async () => {
    const stories = [
      { gid: '8', type: 'system', text: 'moved' },
      { gid: '9', type: 'comment', text: 'Look', created_by: { name: 'Ben' } },
    ];
    answering(json({ data: { ...TASK, notes: 'All of it' } }), json({ data: stories }));
    expect(await use({ action: 'get', task_id: '7' })).toEqual({
      ...SHOWN,
      notes: 'All of it',
      comments: [{ gid: '9', text: 'Look', created_by: { name: 'Ben' } }],
    });
  });

  test.each([
    [
      { action: 'create', name: 'Write', notes: 'x', workspace_id: '2' },
      'once',
      'POST',
      '/tasks',
      { name: 'Write', notes: 'x', workspace: '2' },
    ],
    [
      { action: 'create', name: 'Write', project_id: '3' },
      'once',
      'POST',
      '/tasks',
      { name: 'Write', projects: ['3'] },
    ],
    [
      { action: 'create', name: 'Write', project_id: '3', section_id: '4' },
      'once',
      'POST',
      '/tasks',
      { name: 'Write', memberships: [{ project: '3', section: '4' }] },
    ],
    [
      { action: 'update', task_id: '7', due_on: '2026-05-31', assignee: 'me' },
      'keyed',
      'PUT',
      '/tasks/7',
      { due_on: '2026-05-31', assignee: 'me' },
    ],
    [{ action: 'complete', task_id: '7' }, 'keyed', 'PUT', '/tasks/7', { completed: true }],
    [{ action: 'comment', task_id: '7', comment: 'Look' }, 'once', 'POST', '/tasks/7/stories', { text: 'Look' }],
  ])('writes what %j says', async (args, effect, method, path, data) => {
    answering(json({ data: TASK }, 201));
    expect(asana.prepare(args)).toMatchObject({ effect, approval: 'writes' });
    expect(await use(args)).toEqual({ gid: '7', name: 'Write', completed: false });
    expect(fixture.server.seen).toMatchObject([{ method, url: `/api/1.0${path}` }]);
    expect(JSON.parse(fixture.server.seen[0]?.body ?? '')).toEqual({ data });
  });

  test.each([
    [{ action: 'list_workspaces' }, '/workspaces', 'workspaces'],
    [{ action: 'list_projects', workspace_id: '2' }, '/workspaces/2/projects', 'projects'],
    [{ action: 'list_sections', project_id: '3' }, '/projects/3/sections', 'sections'],
  ])('lists what %j asks for', async (args, path, name) => {
    answering(json({ data: [{ gid: '2', name: 'Team', resource_type: 'x' }], next_page: null }));
    expect(await use(args)).toEqual({ [name]: [{ gid: '2', name: 'Team' }] });
    expect(urls()).toEqual([`/api/1.0${path}?limit=25&`]);
  });

  test.each([
    [{ action: 'search', query: 'x' }, /requires query and workspace_id, or project_id/],
    [{ action: 'get', task_id: '7/../8' }, /task_id/],
    [{ action: 'update', task_id: '7', due_on: 'tomorrow' }, /due_on/],
  ])('refuses %j before anything is sent', async (args, words) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringMatching(words) });
    expect(fixture.server.seen).toEqual([]);
  });

  test.each([
    [
      400,
      { errors: [{ message: 'name: Missing input', help: 'see the documentation' }] },
      'invalid_input',
      /name: Missing input/,
    ],
    [401, { errors: [{ message: `Not Authorized with ${TOKEN}` }] }, 'denied', /Not Authorized with \*\*\*/],
    [429, { errors: [{ message: 'You have made too many requests recently.' }] }, 'rate_limited', /too many requests/],
    [200, { data: 'x' }, 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Asana', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '60');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'search', project_id: '3' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 61_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});
