import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../domain/network/index.ts';
import { OutsideServer } from '../../test/support/outside-server.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { onlyAddress, reachAddress } from './reach-address.ts';

let server: OutsideServer;
let guarded: ReturnType<typeof createGuardedFetch>;
beforeAll(async () => {
  server = await OutsideServer.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
});
afterAll(async () => {
  await guarded.close();
  server.close();
});

test('a webhook is all that there is only where no request can be made with the other credentials', () => {
  const webhook_url = 'https://discord.com/api/webhooks/1/x';
  const discord = { kind: 'discord', apiUrl: 'https://discord.com/api/v10' } as const;
  expect(onlyAddress(discord, { webhook_url })).toBe(webhook_url);
  expect(onlyAddress(discord, { webhook_url, bot_token: 'a-token' })).toBeUndefined();
  expect(onlyAddress({ kind: 'github', apiUrl: 'https://api.github.com' }, {})).toBeUndefined();
});

test.each([
  ['https://api.pagerduty.com', 'https://events.pagerduty.com'],
  ['https://api.eu.pagerduty.com', 'https://events.eu.pagerduty.com'],
  ['https://proxy.example.com/pagerduty', 'https://proxy.example.com/pagerduty'],
])('a key for events alone is for the server of events beside %s, which is %s', (apiUrl, events) => {
  const account = { kind: 'pagerduty', apiUrl } as const;
  expect(onlyAddress(account, { routing_key: 'a-routing-key' })).toBe(events);
  expect(onlyAddress(account, { routing_key: 'a-routing-key', api_key: 'a-key' })).toBeUndefined();
});

test.each([
  [404, null],
  [502, 'The server had an internal error (status 502)'],
])('the server of an address that answers %i is judged by that, and not told the address', async (status, error) => {
  server.seen.length = 0;
  server.reply = (response) => void response.writeHead(status).end();
  const address = `${server.url}/api/webhooks/1/a-secret?sig=another`;
  const reached = reachAddress(createGuardedHttp(guarded.fetch), address, new AbortController().signal);
  expect(await reached).toEqual({ error, hasAnswered: true });
  expect(server.seen).toMatchObject([{ method: 'GET', url: '/' }]);
});

test('an address that may not be reached says so', async () => {
  const http = createGuardedHttp(guarded.fetch);
  const verdict = await reachAddress(http, 'https://169.254.169.254/x', new AbortController().signal);
  expect(verdict).toEqual({ error: expect.any(String) as unknown, hasAnswered: false });
});
