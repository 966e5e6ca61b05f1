import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { sentry } from './sentry.ts';

const TOKEN = 'sntrys_a-token-of-the-tests';
let server: OutsideServer;
let tools: TestTools;
beforeAll(async () => {
  server = await OutsideServer.start();
  const errors = {
    kind: 'sentry',
    name: 'Errors',
    apiUrl: `${server.url}/api/0`,
    fields: ['token'],
    secretPlaces: [],
    settings: { organization: 'acme' },
    secrets: { token: TOKEN },
  } as const;
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations: [errors] });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
});

const use = async (args: ToolArguments) => prepareCall(sentry, args).run(tools.context);

const ISSUE = { id: '4509', shortId: 'WEB-1', title: 'TypeError', level: 'error', status: 'unresolved' };

describe('sentry', () => {
  test('lists error groups of a project with what is needed of them, and says where the list continues', async () => {
    server.reply = (response) => {
      const next = `<${server.url}/api/0/x/?cursor=0:100:1>; rel="previous"; results="false", <${server.url}/api/0/x/?cursor=0:25:0>; rel="next"; results="true"; cursor="0:25:0"`;
      const body = [{ ...ISSUE, annotations: [], pluginActions: [], stats: { '24h': [[1, 2]] } }];
      response.writeHead(200, { 'content-type': 'application/json', link: next }).end(JSON.stringify(body));
    };
    const output = await use({ action: 'list_issues', project: 'web', query: 'is:unresolved' });
    expect(output).toEqual({ value: { issues: [ISSUE], next: '0:25:0' }, isForeign: true });
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        url: '/api/0/projects/acme/web/issues/?query=is%3Aunresolved&limit=25',
        headers: { authorization: `Bearer ${TOKEN}` },
      },
    ]);
  });

  test.each([
    ['resolve', {}, { status: 'resolved' }],
    ['ignore', {}, { status: 'ignored' }],
    ['assign', { assignee: 'team:web' }, { assignedTo: 'team:web' }],
  ])('makes the change of %s, which a repetition makes again', async (action, more, body) => {
    server.reply = json(ISSUE);
    const args = { action, issue_id: '4509', ...more };
    expect(sentry.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'writes' });
    expect((await use(args)).value).toEqual(ISSUE);
    expect(server.seen).toMatchObject([{ method: 'PUT', url: '/api/0/issues/4509/', body: JSON.stringify(body) }]);
  });

  test('says which argument an action lacks, before anything is sent', async () => {
    await expect(use({ action: 'assign', issue_id: '4509' })).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'The action assign requires assignee',
    });
    expect(server.seen).toEqual([]);
  });

  test("repeats Sentry's words without the token in them", async () => {
    server.reply = json({ detail: `Invalid token ${TOKEN}` }, 401);
    const failure = use({ action: 'get_issue', issue_id: '4509' });
    await expect(failure).rejects.toMatchObject({ kind: 'denied', isForeign: true });
    await expect(failure).rejects.toThrow(/status 401 .*: Invalid token \*\*\*$/);
  });
});
