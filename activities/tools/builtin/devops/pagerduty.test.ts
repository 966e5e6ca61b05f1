import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { pagerduty } from './pagerduty.ts';

const API_KEY = 'y_NbAkKc66ryYTWUXYEu';
const ROUTING_KEY = 'e93facc04764012d7bfb002500d5d1a6';
let server: OutsideServer;
let tools: TestTools;
beforeAll(async () => {
  server = await OutsideServer.start();
  const account = { kind: 'pagerduty', apiUrl: server.url, secretPlaces: [] } as const;
  tools = await createTestTools({
    privateHosts: `127.0.0.1:${server.port}`,
    integrations: [
      {
        ...account,
        name: 'Pager',
        fields: ['api_key', 'routing_key'],
        settings: { from: 'ops@example.com' },
        secrets: { api_key: API_KEY, routing_key: ROUTING_KEY },
      },
      { ...account, name: 'Events', fields: ['routing_key'], secrets: { routing_key: ROUTING_KEY } },
      { ...account, name: 'Reader', fields: ['api_key'], secrets: { api_key: API_KEY } },
    ],
  });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
});

const use = async (args: ToolArguments) => prepareCall(pagerduty, { integration: 'Pager', ...args }).run(tools.context);
const sentBody = (at = 0) => JSON.parse(server.seen[at]?.body ?? '') as Record<string, unknown>;

const INCIDENT = { id: 'Q2ABC', title: 'Disk full', status: 'triggered', urgency: 'high' };
const ACCEPTED = { status: 'success', message: 'Event processed', dedup_key: 'disk-1' };

describe('an event', () => {
  test('opens an incident under the key of the call, the same for each repetition, and without the API key', async () => {
    server.reply = json(ACCEPTED, 202);
    const args = { action: 'trigger', summary: 'Disk full', source: 'db-1', details: { free: 0 } };
    expect(pagerduty.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'always' });
    expect(await use(args)).toEqual({ value: ACCEPTED, isForeign: true });
    await use(args);
    expect(server.seen).toMatchObject([
      { method: 'POST', url: '/v2/enqueue' },
      { method: 'POST', url: '/v2/enqueue' },
    ]);
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(sentBody()).toEqual({
      routing_key: ROUTING_KEY,
      event_action: 'trigger',
      dedup_key: tools.context.idempotencyKey,
      payload: { summary: 'Disk full', severity: 'error', source: 'db-1', custom_details: { free: 0 } },
    });
    expect(sentBody(1)).toEqual(sentBody());
  });

  test('has the given key, and is sent again when PagerDuty is away', async () => {
    let answers = 0;
    server.reply = (response, request) => json(ACCEPTED, (answers += 1) === 1 ? 503 : 202)(response, request);
    const args = { action: 'trigger', integration: 'Events', summary: 'Disk full', dedup_key: 'disk-1' };
    expect((await use({ ...args, severity: 'critical' })).value).toEqual(ACCEPTED);
    expect(server.seen).toHaveLength(2);
    expect(sentBody(1)).toMatchObject({ dedup_key: 'disk-1', payload: { severity: 'critical' } });
  });

  test.each([
    ['acknowledge', 'never'],
    ['resolve', 'writes'],
  ])('makes PagerDuty %s the incident of a key', async (action, approval) => {
    server.reply = json(ACCEPTED, 202);
    expect(pagerduty.prepare({ action, dedup_key: 'disk-1' })).toMatchObject({ effect: 'keyed', approval });
    await use({ action, dedup_key: 'disk-1', integration: 'Events' });
    expect(sentBody()).toEqual({ routing_key: ROUTING_KEY, event_action: action, dedup_key: 'disk-1' });
  });

  test('that is refused repeats the words of PagerDuty without the routing key', async () => {
    const errors = ["'payload.severity' is invalid", `key ${ROUTING_KEY}`];
    server.reply = json({ status: 'invalid event', message: 'Event object is invalid', errors }, 400);
    const failure = use({ action: 'trigger', summary: 'Disk full' });
    await expect(failure).rejects.toMatchObject({ kind: 'invalid_input', isForeign: true });
    await expect(failure).rejects.toThrow(
      /status 400: Event object is invalid; 'payload.severity' is invalid; key \*\*\*$/,
    );
  });

  test('needs a routing key, and says so before anything is sent', async () => {
    await expect(use({ action: 'trigger', summary: 'x', integration: 'Reader' })).rejects.toMatchObject({
      kind: 'denied',
      message: 'The integration Reader lacks a routing_key, which events need; add one to it',
    });
    expect(server.seen).toEqual([]);
  });
});

describe('an incident', () => {
  test.each([
    ['acknowledge', 'acknowledged'],
    ['resolve', 'resolved'],
  ])('is changed by %s in the name of the user in the settings', async (action, status) => {
    server.reply = json({ incident: { ...INCIDENT, status, teams: [] } });
    expect((await use({ action, incident_id: 'Q2ABC' })).value).toEqual({ ...INCIDENT, status });
    expect(server.seen).toMatchObject([
      {
        method: 'PUT',
        url: '/incidents/Q2ABC',
        headers: { authorization: `Token token=${API_KEY}`, from: 'ops@example.com' },
      },
    ]);
    expect(sentBody()).toEqual({ incident: { type: 'incident', status } });
  });

  test.each([{}, { dedup_key: 'disk-1', incident_id: 'Q2ABC' }])('is named in one way, not by %j', async (named) => {
    await expect(use({ action: 'resolve', ...named })).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'The action resolve requires either dedup_key or incident_id',
    });
    expect(server.seen).toEqual([]);
  });

  test('is read with its notes', async () => {
    const note = { id: 'N1', content: 'Looking', user: { summary: 'Ada', type: 'user_reference' } };
    server.reply = (response, request) =>
      json(request.url.endsWith('/notes') ? { notes: [note] } : { incident: INCIDENT })(response, request);
    expect((await use({ action: 'get', incident_id: 'Q2ABC' })).value).toEqual({
      incident: INCIDENT,
      notes: [{ id: 'N1', content: 'Looking', user: { summary: 'Ada' } }],
    });
  });

  test('is noted on once, since PagerDuty would not recognise a repetition', async () => {
    server.reply = json({ note: { id: 'N1', content: 'Looking' } }, 201);
    const args = { action: 'note', incident_id: 'Q2ABC', text: 'Looking' };
    expect(pagerduty.prepare(args)).toMatchObject({ effect: 'once' });
    expect((await use(args)).value).toEqual({ id: 'N1', content: 'Looking' });
    expect(sentBody()).toEqual({ note: { content: 'Looking' } });
    server.reply = json({}, 502);
    await expect(use(args)).rejects.toMatchObject({ isUncertain: true });
    expect(server.seen).toHaveLength(2);
  });

  test('is listed with the others that are open, page by page, or found by its key', async () => {
    server.reply = json({ incidents: [{ ...INCIDENT, alert_counts: { all: 1 } }], more: true });
    const listed = await use({ action: 'list', service_id: 'PSVC', cursor: '25' });
    expect(listed.value).toEqual({ incidents: [INCIDENT], next: '50' });
    await use({ action: 'list', dedup_key: 'disk-1' });
    const [open, ofKey] = server.seen.map(({ url }) => new URLSearchParams(url.split('?')[1]));
    expect(open?.getAll('statuses[]')).toEqual(['triggered', 'acknowledged']);
    expect(Object.fromEntries(open ?? [])).toMatchObject({ 'service_ids[]': 'PSVC', offset: '25', limit: '25' });
    expect(ofKey?.getAll('statuses[]')).toEqual(['triggered', 'acknowledged', 'resolved']);
    expect(Object.fromEntries(ofKey ?? [])).toMatchObject({ incident_key: 'disk-1', date_range: 'all' });
  });
});

test('who is on call for a service is asked for by its escalation policy', async () => {
  const user = { id: 'PUSER', summary: 'Ada', email: 'ada@example.com' };
  server.reply = (response, request) =>
    json(
      request.url.startsWith('/services/')
        ? { service: { id: 'PSVC', escalation_policy: { id: 'PPOL' } } }
        : { oncalls: [{ user: { ...user, time_zone: 'UTC' }, escalation_level: 1, schedule: null }], more: false },
    )(response, request);
  const { value } = await use({ action: 'on_call', service_id: 'PSVC' });
  expect(value).toEqual({ on_call: [{ user, escalation_level: 1 }] });
  const asked = new URLSearchParams(server.seen[1]?.url.split('?')[1]);
  expect(Object.fromEntries(asked)).toMatchObject({ 'escalation_policy_ids[]': 'PPOL', 'include[]': 'users' });
});
