import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { sendAsSlack, slackEvent } from '../../test/support/fake-slack.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';

// No worker handles what is received.
const served = serveTestApi();
const SECRET = 'the signing secret of the app';

type Fields = Record<string, unknown>;

let user: TestUser;
let agentId: string;
let integrationId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  integrationId = await addIntegration('Slack');
});

async function addIntegration(name: string, by = user): Promise<string> {
  const fields = { kind: 'slack', name, credentials: { token: 'xoxb-of-the-tests' } };
  const { status, json } = await by.client.post<{ id: string }>('/api/integrations', fields);
  expect(status).toBe(201);
  return json.id;
}

const fieldsOf = (more: Fields = {}) => ({
  name: 'Slack',
  kind: 'slack',
  agent_id: agentId,
  integration_id: integrationId,
  secret: SECRET,
  matches_email: true,
  ...more,
});
const add = async (more: Fields = {}, by = user) => by.client.post<Fields>('/api/channels', fieldsOf(more));
const addChannel = async (more: Fields = {}) => String((await add(more)).json['id']);
const stored = async (channelId: string) => {
  const text = 'select event_id as id, sender, status from channel_events where channel_id = $1 order by id';
  return (await served.api.database.system.query<Fields>(text, [channelId])).rows;
};

describe('a channel', () => {
  test('shows where its events go, and never its secret', async () => {
    const { status, json } = await add();
    expect(status).toBe(201);
    const path = `/api/channels/${String(json['id'])}`;
    expect(json).toMatchObject({
      events_url: `https://everturn.example.com${path}/events`,
      agent_id: agentId,
      matches_email: true,
      people: {},
      is_active: true,
      error: null,
    });
    const texts = [json, (await user.client.get(path)).json, (await user.client.get('/api/channels')).json];
    expect(JSON.stringify(texts)).not.toContain(SECRET);
    const { rows } = await served.api.database.system.query<{ secret: Buffer }>(
      'select secret from channels where id = $1',
      [json['id']],
    );
    expect(rows[0]?.secret.includes(SECRET)).toBe(false);
  });

  test('answers with an integration of its kind, by an agent of the organization, to members', async () => {
    const other = { kind: 'http', name: 'HTTP', base_url: 'https://a.example.com', credentials: { api_key: 'a-key' } };
    const { json } = await user.client.post<{ id: string }>('/api/integrations', other);
    expect((await add({ integration_id: json.id })).status).toBe(422);
    expect((await add({ integration_id: UNKNOWN_ID })).status).toBe(404);
    expect((await add({ agent_id: UNKNOWN_ID })).status).toBe(404);
    const stranger = await registerUser(served.url);
    expect((await add({ people: { U1: stranger.id } })).status).toBe(404);
    expect((await add({ people: { 'U 1': user.id } })).status).toBe(422);
    expect((await add()).status).toBe(201);
    expect((await add({ name: 'SLACK' })).status).toBe(409);
  });

  test('outlives neither its agent nor its integration, of which it says that they are gone', async () => {
    const path = `/api/channels/${await addChannel()}`;
    await user.client.delete(`/api/integrations/${integrationId}`);
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ integration_id: null });
    expect((await user.client.delete(path)).status).toBe(204);
    expect((await user.client.get(path)).status).toBe(404);
  });
});

test('a member changes and deletes their own channels, and those of others when a group grants it', async () => {
  const member = await registerColleague(served.api, user, 'member');
  const refusal = [403, { detail: expect.stringContaining('Somebody else has added this channel') }];
  const path = `/api/channels/${await addChannel()}`;
  for (const { status, json } of [
    await member.client.patch(path, { agent_id: await createAgent(member.client, { name: 'Mine' }) }),
    await member.client.patch(path, { is_active: false }),
    await member.client.delete(path),
  ])
    expect([status, json]).toEqual(refusal);
  const own = await add(
    { name: 'Own', matches_email: false, integration_id: await addIntegration('Own', member) },
    member,
  );
  const ownPath = `/api/channels/${String(own.json['id'])}`;
  expect((await member.client.patch(ownPath, { is_active: false })).status).toBe(200);
  expect((await member.client.delete(ownPath)).status).toBe(204);
  const { member: granted } = await registerGrouped(served.api, user, ['channels.manage']);
  expect((await granted.client.delete(path)).status).toBe(204);
});

test('the integration of a channel is set by those who may manage integrations', async () => {
  const { member } = await registerGrouped(served.api, user, ['channels.manage', 'agents.view', 'integrations.view']);
  const refused = await add({ matches_email: false }, member);
  const words = { detail: expect.stringContaining('integrations.manage') };
  expect([refused.status, refused.json]).toEqual([403, words]);
  const path = `/api/channels/${await addChannel()}`;
  expect((await member.client.patch(path, { is_active: false })).status).toBe(200);
});

describe('whom a channel recognises', () => {
  const refusal = { detail: expect.stringContaining('settings.manage') };

  test('is only themselves when a member sets it up, whoever knows its secret', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const own = { U1: member.id };
    for (const more of [{}, { matches_email: false, people: { U1: user.id } }]) {
      const refused = await add(more, member);
      expect([refused.status, refused.json]).toEqual([403, refusal]);
    }
    const added = await add({ matches_email: false, people: own }, member);
    expect(added.status).toBe(201);
    const path = `/api/channels/${String(added.json['id'])}`;
    expect((await member.client.patch(path, { secret: 'another secret' })).status).toBe(200);
    expect((await member.client.patch(path, { matches_email: true })).status).toBe(403);
  });

  test('is not taken over by a member who changes its secret, its integration or its people', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const path = `/api/channels/${await addChannel()}`;
    const integration_id = await addIntegration('Mine', member);
    const { member: granted } = await registerGrouped(served.api, user, ['channels.manage', 'integrations.manage']);
    for (const changes of [
      { secret: 'another secret' },
      { integration_id },
      { people: {} },
      { matches_email: false },
    ]) {
      const refused = await granted.client.patch(path, changes);
      expect([refused.status, refused.json]).toEqual([403, refusal]);
      expect((await member.client.patch(path, changes)).status).toBe(403);
    }
    expect((await granted.client.patch(path, { name: 'Renamed', is_active: false })).status).toBe(200);
  });

  test('is extended to others only together with a secret and an integration that a member does not have', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const own = { U1: member.id };
    const path = `/api/channels/${String((await add({ matches_email: false, people: own }, member)).json['id'])}`;
    const owned = `/api/channels/${await addChannel({ name: 'Own', matches_email: false })}`;
    expect((await user.client.patch(owned, { matches_email: true })).status).toBe(422);
    expect((await user.client.patch(path, { matches_email: true })).status).toBe(422);
    expect((await user.client.patch(path, { people: { ...own, U2: user.id } })).status).toBe(422);
    const setup = { matches_email: true, secret: SECRET, integration_id: integrationId };
    expect((await user.client.patch(owned, setup)).status).toBe(200);
    expect((await user.client.patch(path, setup)).status).toBe(200);
  });
});

describe('an event', () => {
  test('is stored before it is answered, once for its id', async () => {
    const id = await addChannel();
    const event = slackEvent({ text: '<@UBOT> Hello', user: 'U7' });
    const answers = await Promise.all(
      [1, 2, 3].map(async () => sendAsSlack(served.url, id, event, { secret: SECRET })),
    );
    expect(answers.map(({ json }) => json['status']).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      'accepted',
      'repeated',
      'repeated',
    ]);
    expect(await stored(id)).toEqual([{ id: event['event_id'], sender: 'U7', status: 'pending' }]);
  });

  test('is left to be delivered again while a thousand wait', async () => {
    const id = await addChannel();
    const { system } = served.api.database;
    await system.query(
      `insert into channel_events (id, org_id, channel_id, event_id, sender, message)
        select gen_random_uuid(), org_id, id, 'E' || n, 'U7', '{}' from channels, generate_series(1, 1000) n where id = $1`,
      [id],
    );
    const event = slackEvent({ text: '<@UBOT> Hello', user: 'U7' });
    expect((await sendAsSlack(served.url, id, event, { secret: SECRET })).status).toBe(429);
    await system.query("update channel_events set status = 'ignored' where channel_id = $1 and event_id = 'E1'", [id]);
    expect((await sendAsSlack(served.url, id, event, { secret: SECRET })).json).toMatchObject({ status: 'accepted' });
  });

  test('that verifies the address is answered with its challenge', async () => {
    const verification = { type: 'url_verification', challenge: 'abc', token: 'old' };
    expect(await sendAsSlack(served.url, await addChannel(), verification, { secret: SECRET })).toEqual({
      status: 200,
      json: { status: 'accepted', challenge: 'abc' },
    });
  });

  test('is ignored when it is of a bot, or the channel is off', async () => {
    const id = await addChannel();
    const ignored = { status: 200, json: { status: 'ignored' } };
    expect(await sendAsSlack(served.url, id, slackEvent({ bot_id: 'B1', text: 'Hi' }), { secret: SECRET })).toEqual(
      ignored,
    );
    await user.client.patch(`/api/channels/${id}`, { is_active: false });
    expect(await sendAsSlack(served.url, id, slackEvent({ text: 'Hi' }), { secret: SECRET })).toEqual(ignored);
    expect(await stored(id)).toEqual([]);
  });

  test('is not let in with a wrong signature, an old one, for another body or for an unknown channel', async () => {
    const id = await addChannel();
    const event = slackEvent({ text: 'Hi' });
    const now = Math.floor(Date.now() / 1_000);
    const answers = [
      await sendAsSlack(served.url, id, event, { secret: 'another secret' }),
      await sendAsSlack(served.url, id, event, { secret: SECRET, time: now - 400 }),
      await sendAsSlack(served.url, id, event, { secret: SECRET, time: now + 400 }),
      await sendAsSlack(served.url, id, event, { secret: SECRET, time: Number.NaN }),
      await sendAsSlack(served.url, UNKNOWN_ID, event, { secret: SECRET }),
      await user.client.as(undefined).post(`/api/channels/${id}/events`, event),
    ];
    const detail = 'There is no such channel, or the signature does not match its secret';
    for (const { status, json } of answers) expect([status, json]).toEqual([404, { detail }]);
    expect(await stored(id)).toEqual([]);
  });

  test('that is signed is rejected when it cannot be read', async () => {
    expect((await sendAsSlack(served.url, await addChannel(), '{', { secret: SECRET })).status).toBe(422);
  });
});
