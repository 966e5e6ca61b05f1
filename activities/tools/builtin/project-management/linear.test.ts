import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json } from '../../../../test/support/outside-server.ts';
import { LinearApi } from '../../../../test/support/services/linear-api.ts';
import { callLinear } from '../../../../test/support/services/linear-client.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { linear } from './linear.ts';

const KEY = 'lin_api_a-key-of-the-tests';
let fixture: ServiceFixture;
let api: LinearApi;
beforeAll(async () => {
  fixture = await startService(linear, { kind: 'linear', secrets: { api_key: KEY } });
});
afterAll(async () => fixture.close());
beforeEach(() => {
  api = new LinearApi();
  fixture.server.reply = api.reply;
  fixture.server.seen.length = 0;
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const client = async (method: string, ...args: readonly unknown[]) =>
  callLinear({ url: fixture.server.url, key: KEY }, method, ...args);
const keyOf = () => fixture.tools.context.idempotencyKey;

describe('linear', () => {
  test('creates an issue under the id of the call, which the vendor client reads, and a repetition creates none', async () => {
    const args = { action: 'create', team_id: 't-1', title: 'Crash at start', description: '**Always**', priority: 1 };
    expect(linear.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'writes' });
    const made = await use(args);
    expect(made).toMatchObject({ id: keyOf(), identifier: 'ENG-1', title: 'Crash at start', state: { name: 'Todo' } });
    expect(await use(args)).toEqual(made);
    expect(api.issues).toHaveLength(1);
    expect(await client('issue', 'ENG-1')).toMatchObject({
      id: keyOf(),
      title: 'Crash at start',
      description: '**Always**',
    });
    expect(fixture.server.seen[0]?.headers).toMatchObject({ authorization: KEY, 'content-type': 'application/json' });
  });

  test('reads, changes and comments on an issue of the vendor client, once for a repeated call', async () => {
    expect(await client('createIssue', { teamId: 't-1', title: 'Slow' })).toMatchObject({ success: true });
    const args = { action: 'comment', id: 'ENG-1', comment: 'Look at `db`' };
    const comment = { id: keyOf(), body: 'Look at `db`', issue: { identifier: 'ENG-1' }, url: 'https://linear.app/x' };
    expect([await use(args), await use(args)]).toEqual([comment, comment]);
    expect(
      await use({ action: 'update', id: 'ENG-1', title: 'Slow start', state_id: 's-2', assignee_id: 'u-1' }),
    ).toMatchObject({ title: 'Slow start' });
    expect(api.issues[0]).toMatchObject({ stateId: 's-2', assigneeId: 'u-1' });
    expect(await use({ action: 'get', id: 'ENG-1' })).toMatchObject({
      title: 'Slow start',
      comments: { nodes: [{ body: 'Look at `db`', user: { name: 'Ann' } }] },
    });
  });

  test('lists issues page by page, those of a search and those changed last', async () => {
    for (let at = 1; at <= 30; at += 1) api.createIssue({ teamId: 't-1', title: `Task ${at}` });
    const first = (await use({ action: 'search', query: 'Task', team_id: 't-1' })) as {
      issues: unknown[];
      next?: string;
    };
    expect([first.issues.length, first.next]).toEqual([25, '25']);
    expect(await use({ action: 'search', query: 'Task', cursor: '25' })).toMatchObject({
      issues: [{ title: 'Task 26' }, {}, {}, {}, { title: 'Task 30' }],
    });
    await use({ action: 'search', team_id: 't-1' });
    expect(api.asked.slice(-3)).toEqual([
      { field: 'searchIssues', args: { term: 'Task', teamId: 't-1', first: 25, after: undefined } },
      { field: 'searchIssues', args: { term: 'Task', teamId: undefined, first: 25, after: '25' } },
      {
        field: 'issues',
        args: { filter: { team: { id: { eq: 't-1' } } }, first: 25, after: undefined, orderBy: 'updatedAt' },
      },
    ]);
    expect(await use({ action: 'list_teams' })).toEqual({
      teams: [
        {
          id: 't-1',
          key: 'ENG',
          name: 'Engineering',
          states: { nodes: [{ id: 's-1', name: 'Todo', type: 'unstarted' }] },
          activeCycle: null,
        },
      ],
    });
  });

  test('an argument is a variable and never part of the query', async () => {
    const title = '"}) { issue { id } } viewer { email';
    await use({ action: 'create', team_id: 't-1', title });
    expect(api.issues[0]?.['title']).toBe(title);
    await expect(use({ action: 'get', id: 'ENG-1") { id } }' })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test.each([
    [401, { errors: [error(`Key ${KEY} is unknown`, 'AUTHENTICATION_ERROR')] }, 'denied', /Key \*\*\* is unknown/],
    [200, { data: null, errors: [error('You are forbidden', 'FORBIDDEN')] }, 'denied', /You are forbidden/],
    [200, { data: null, errors: [error('Entity not found: Issue', 'INPUT_ERROR')] }, 'not_found', /Entity not found/],
    [400, { errors: [error('Argument is invalid', 'INPUT_ERROR')] }, 'invalid_input', /Argument is invalid/],
    [400, { errors: [error('Rate limit exceeded', 'RATELIMITED')] }, 'rate_limited', /Rate limit exceeded/],
    [200, { data: null, errors: [error('Oops', 'INTERNAL')] }, 'upstream', /Oops/],
    [200, { data: {} }, 'upstream', /without issues/],
  ])('tells the answer %i %j in the words of Linear', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('x-ratelimit-requests-reset', String(Date.now() + 600_000));
      json(body, status)(response, request);
    };
    const failure = await use({ action: 'search', query: 'x' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(words) });
    if (kind === 'rate_limited') expect((failure as { waitMs: number }).waitMs).toBeGreaterThan(500_000);
  });
});

function error(message: string, code: string) {
  return { message, extensions: { code } };
}
