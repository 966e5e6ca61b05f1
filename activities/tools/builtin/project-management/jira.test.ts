import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, type Reply } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { jira } from './jira.ts';

const TOKEN = 'an-api-token-of-the-tests';
let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await startService(jira, { kind: 'jira', secrets: { email: 'ann@example.com', api_token: TOKEN } });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const bodies = () => fixture.server.seen.map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)));
const doc = (words: string) => ({
  type: 'doc',
  version: 1,
  content: [{ type: 'paragraph', content: [{ type: 'text', text: words, marks: [{ type: 'strong' }] }] }],
});
const noContent: Reply = (response) => response.writeHead(204).end();

const FIELDS = {
  summary: 'Crash',
  status: { self: 'https://x', id: '1', name: 'In Progress', statusCategory: { key: 'indeterminate' } },
  issuetype: { id: '2', name: 'Bug', subtask: false },
  assignee: { accountId: 'a-1', displayName: 'Ann', avatarUrls: {} },
  project: { id: '3', key: 'WEB', name: 'Website' },
  parent: { id: '4', key: 'WEB-1', fields: {} },
  labels: ['urgent'],
  resolution: null,
};

describe('jira', () => {
  test('searches by JQL, with plain values and the next page', async () => {
    fixture.server.reply = json({
      issues: [{ id: '10', key: 'WEB-7', self: 'x', fields: FIELDS }],
      nextPageToken: 'p-2',
      isLast: false,
    });
    expect(await use({ action: 'search', jql: 'project = WEB', cursor: 'p-1' })).toEqual({
      issues: [
        {
          id: '10',
          key: 'WEB-7',
          summary: 'Crash',
          status: 'In Progress',
          issuetype: 'Bug',
          assignee: 'Ann',
          project: 'WEB',
          parent: 'WEB-1',
          labels: ['urgent'],
        },
      ],
      next: 'p-2',
    });
    expect(fixture.server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/rest/api/3/search/jql',
        headers: { authorization: `Basic ${btoa(`ann@example.com:${TOKEN}`)}` },
      },
    ]);
    expect(bodies()).toMatchObject([{ jql: 'project = WEB', maxResults: 25, nextPageToken: 'p-1' }]);
  });

  test('reads an issue with its description and comments in Markdown', async () => {
    const comment = {
      comments: [{ id: '5', author: { displayName: 'Ben' }, created: '2026-01-01', body: doc('seen') }],
      total: 1,
    };
    fixture.server.reply = json({ id: '10', key: 'WEB-7', fields: { ...FIELDS, description: doc('broken'), comment } });
    expect(await use({ action: 'get', key: 'WEB-7' })).toMatchObject({
      description: '**broken**',
      comments: [{ id: '5', author: 'Ben', created: '2026-01-01', body: '**seen**' }],
    });
    expect(fixture.server.seen[0]?.url).toMatch(/^\/rest\/api\/3\/issue\/WEB-7\?fields=summary%2Cstatus/);
  });

  const create = {
    action: 'create',
    project: 'WEB',
    type: 'Bug',
    summary: 'Crash',
    description: '**broken**',
    fields: { labels: ['a'] },
  };
  test.each([
    [
      create,
      'once',
      'POST',
      '/issue',
      {
        fields: {
          labels: ['a'],
          summary: 'Crash',
          description: doc('broken'),
          project: { key: 'WEB' },
          issuetype: { name: 'Bug' },
        },
      },
    ],
    [
      { action: 'update', key: 'WEB-7', summary: 'Slow' },
      'keyed',
      'PUT',
      '/issue/WEB-7',
      { fields: { summary: 'Slow' } },
    ],
    [{ action: 'comment', key: '10', comment: '**seen**' }, 'once', 'POST', '/issue/10/comment', { body: doc('seen') }],
  ])('writes what %j says', async (args, effect, method, path, body) => {
    fixture.server.reply =
      method === 'PUT' ? noContent : json({ id: '10', key: 'WEB-7', self: 'x', created: '2026-01-01' }, 201);
    expect(jira.prepare(args)).toMatchObject({ effect, approval: 'writes' });
    expect(await use(args)).not.toHaveProperty('self');
    expect(fixture.server.seen).toMatchObject([{ method, url: `/rest/api/3${path}` }]);
    expect(bodies()).toEqual([body]);
  });

  const known = {
    transitions: [
      { id: '21', name: 'Start', to: { name: 'In Progress' } },
      { id: '31', name: 'Done', to: { name: 'Closed' } },
    ],
  };
  test.each([
    ['done', '31', 'Closed'],
    ['in progress', '21', 'In Progress'],
  ])('moves an issue by the name %j of a transition or status', async (transition, id, status) => {
    fixture.server.reply = (response, request) =>
      (request.method === 'GET' ? json(known) : noContent)(response, request);
    expect(jira.prepare({ action: 'transition', key: 'WEB-7', transition })).toMatchObject({ effect: 'once' });
    expect(await use({ action: 'transition', key: 'WEB-7', transition })).toEqual({ key: 'WEB-7', status });
    expect(bodies()).toEqual([undefined, { transition: { id } }]);
  });

  test('names the transitions that there are when there is none of the name', async () => {
    fixture.server.reply = json(known);
    await expect(use({ action: 'transition', key: 'WEB-7', transition: 'Reopen' })).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'The issue has no transition Reopen now; there is Start (to In Progress), Done (to Closed)',
      isForeign: true,
    });
    expect(fixture.server.seen).toHaveLength(1);
  });

  test('lists projects with their issue types, page by page, and users', async () => {
    const project = {
      id: '3',
      key: 'WEB',
      name: 'Website',
      issueTypes: [{ id: '2', name: 'Bug', subtask: false }],
      avatarUrls: {},
    };
    fixture.server.reply = json({ values: [project], startAt: 25, total: 30, isLast: false });
    expect(await use({ action: 'list_projects', query: 'web', cursor: '25' })).toEqual({
      projects: [{ id: '3', key: 'WEB', name: 'Website', issue_types: [{ name: 'Bug', subtask: false }] }],
      next: '26',
    });
    expect(fixture.server.seen[0]?.url).toBe(
      '/rest/api/3/project/search?query=web&startAt=25&maxResults=25&expand=issueTypes',
    );
    fixture.server.reply = json([{ accountId: 'a-1', displayName: 'Ann', active: true, self: 'x' }]);
    expect(await use({ action: 'list_users', query: 'an n&' })).toEqual({
      users: [{ accountId: 'a-1', displayName: 'Ann', active: true }],
    });
    expect(fixture.server.seen[1]?.url).toBe('/rest/api/3/user/search?query=an+n%26&maxResults=25');
  });

  test.each([
    { action: 'get', key: '../myself' },
    { action: 'get', key: 'WEB-7/comment' },
    { action: 'create', project: 'WEB/x', type: 'Bug', summary: 'x' },
    { action: 'update', key: 'WEB-7', fields: { 'a\r\nb': 1 } },
  ])('refuses %j before anything is sent', async (args) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(fixture.server.seen).toEqual([]);
  });

  test.each([
    [
      400,
      { errorMessages: [], errors: { priority: 'Priority name is not valid' } },
      'invalid_input',
      /priority: Priority name is not valid/,
    ],
    [401, { message: `Token ${TOKEN} is not valid` }, 'denied', /Token \*\*\* is not valid/],
    [404, { errorMessages: ['Issue does not exist'], errors: {} }, 'not_found', /Issue does not exist/],
    [429, { errorMessages: ['Rate limit exceeded'] }, 'rate_limited', /Rate limit exceeded/],
    [200, { total: 1 }, 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Jira', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '60');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'search', jql: 'x' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 61_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});
