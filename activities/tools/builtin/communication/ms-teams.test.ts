import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { answerAsGraph, CHANNEL, MESSAGE, TEAM } from '../../../../test/support/services/ms-teams.ts';
import { requestsOf } from '../../../../test/support/services/requests-of.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { msTeams } from './ms-teams.ts';

const TOKEN = 'eyJ.an-access-token-of-the-tests';
const SIGNATURE = 'a-signature-of-the-webhook-of-the-tests';
let graph: OutsideServer;
let flows: OutsideServer;
let tools: TestTools;
beforeAll(async () => {
  [graph, flows] = [await OutsideServer.start(), await OutsideServer.start()];
  const common = { kind: 'ms_teams', apiUrl: `${graph.url}/v1.0`, fields: [], secretPlaces: [] } as const;
  const webhook_url = `${flows.url}/workflows/abc/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${SIGNATURE}`;
  tools = await createTestTools({
    privateHosts: `127.0.0.1:${graph.port},127.0.0.1:${flows.port}`,
    integrations: [
      { ...common, name: 'Graph', secrets: { access_token: TOKEN } },
      { ...common, name: 'Workflow', secrets: { webhook_url } },
    ],
  });
});
afterAll(async () => {
  await tools.close();
  graph.close();
  flows.close();
});
beforeEach(() => {
  for (const server of [graph, flows]) {
    server.seen.length = 0;
    server.reply = answerAsGraph(graph);
  }
});

const use = async (args: ToolArguments) => prepareCall(msTeams, { integration: 'Graph', ...args }).run(tools.context);
const inChannel = { team_id: TEAM, channel_id: CHANNEL };
const channelPath = `/v1.0/teams/${TEAM}/channels/${encodeURIComponent(CHANNEL)}`;
const chat_id = '19:x@thread.v2';

describe('ms_teams', () => {
  test.each([
    [{ action: 'list_teams' }, 'GET', '/v1.0/teams', { $top: ['25'] }],
    [{ action: 'list_teams', cursor: '%24skiptoken=abc' }, 'GET', '/v1.0/teams', { $skiptoken: ['abc'] }],
    [{ action: 'list_channels', team_id: TEAM }, 'GET', `/v1.0/teams/${TEAM}/channels`, {}],
    [{ action: 'history', ...inChannel }, 'GET', `${channelPath}/messages`, { $top: ['25'] }],
    [{ action: 'history', chat_id }, 'GET', '/v1.0/chats/19%3Ax%40thread.v2/messages', { $top: ['25'] }],
    [
      { action: 'replies', ...inChannel, message_id: MESSAGE.id },
      'GET',
      `${channelPath}/messages/${MESSAGE.id}/replies`,
      { $top: ['25'] },
    ],
    [{ action: 'post', ...inChannel, text: 'Hi' }, 'POST', `${channelPath}/messages`, {}],
    [{ action: 'post', chat_id, text: 'Hi' }, 'POST', '/v1.0/chats/19%3Ax%40thread.v2/messages', {}],
    [
      { action: 'reply', ...inChannel, message_id: MESSAGE.id, text: 'Hi' },
      'POST',
      `${channelPath}/messages/${MESSAGE.id}/replies`,
      {},
    ],
  ])('makes of %j the request of the documentation', async (args, method, path, query) => {
    const body = method === 'GET' ? '' : { body: { contentType: 'text', content: 'Hi' } };
    expect(await requestsOf(graph, async () => use(args))).toEqual([{ method, path, query, body }]);
    expect(graph.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(msTeams.prepare(args)).toMatchObject({ effect: method === 'GET' ? 'read' : 'once', approval: 'writes' });
  });

  test('shows what is needed of teams and messages, page by page', async () => {
    expect(await use({ action: 'list_teams' })).toEqual({
      value: { teams: [{ id: TEAM, displayName: 'Acme' }], next: '%24top=25&%24skiptoken=abc' },
      isForeign: true,
    });
    expect((await use({ action: 'history', ...inChannel })).value).toEqual({
      messages: [
        {
          id: MESSAGE.id,
          createdDateTime: MESSAGE.createdDateTime,
          messageType: 'message',
          from: { user: { displayName: 'Ada' } },
          body: { content: 'Hello' },
          webUrl: MESSAGE.webUrl,
        },
      ],
      next: undefined,
    });
  });

  const card = { type: 'AdaptiveCard', version: '1.4', body: [] };

  test('posts a card at the position that the text names', async () => {
    const [request] = await requestsOf(graph, async () =>
      use({ action: 'post', ...inChannel, text: 'a <b> & c', card }),
    );
    const id = expect.stringMatching(/^[0-9a-f]{32}$/) as unknown;
    expect(request?.body).toEqual({
      body: {
        contentType: 'html',
        content: expect.stringMatching(
          /^<p>a &lt;b&gt; &amp; c<\/p><attachment id="[0-9a-f]{32}"><\/attachment>$/,
        ) as unknown,
      },
      attachments: [{ id, contentType: 'application/vnd.microsoft.card.adaptive', content: JSON.stringify(card) }],
    });
  });

  test.each([
    [{ text: 'Hi' }, { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: 'Hi', wrap: true }] }],
    [{ card }, card],
  ])('posts %j by the webhook, which is told nothing else', async (said, content) => {
    const args = { action: 'webhook', integration: 'Workflow', ...said };
    const [request] = await requestsOf(flows, async () => use(args));
    expect(request).toMatchObject({
      method: 'POST',
      query: { 'api-version': ['2016-06-01'], sig: [SIGNATURE] },
      body: {
        type: 'message',
        attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
      },
    });
    expect(flows.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(graph.seen).toEqual([]);
  });

  test('says what it lacks', async () => {
    await expect(use({ action: 'post', text: 'Hi', team_id: TEAM })).rejects.toThrow(/team_id and channel_id/);
    await expect(use({ action: 'post', chat_id })).rejects.toThrow('Give text or card');
    await expect(use({ action: 'webhook', text: 'Hi' })).rejects.toThrow(/lacks credentials/);
    await expect(use({ action: 'list_teams', integration: 'Workflow' })).rejects.toThrow(/lacks credentials/);
    expect([graph.seen, flows.seen]).toEqual([[], []]);
  });

  test('repeats the words of the services without their secrets', async () => {
    graph.reply = json({ error: { code: 'Forbidden', message: `Missing scope for ${TOKEN}` } }, 403);
    const denied = use({ action: 'list_teams' });
    await expect(denied).rejects.toMatchObject({ kind: 'denied' });
    await expect(denied).rejects.toThrow(/: Missing scope for \*\*\*$/);
    flows.reply = json({ error: { message: `The signature ${SIGNATURE} is wrong` } }, 400);
    const refused = use({ action: 'webhook', text: 'Hi', integration: 'Workflow' });
    await expect(refused).rejects.toThrow(/: The signature \*\*\* is wrong$/);
  });

  test.each([
    { team_id: '..', channel_id: 'x' },
    { ...inChannel, message_id: '1/../2' },
  ])('reaches nothing else with %j', async (args) => {
    const reply = use({ action: 'reply', message_id: MESSAGE.id, text: 'Hi', ...args });
    await expect(reply).rejects.toMatchObject({ kind: 'invalid_input' });
  });
});
