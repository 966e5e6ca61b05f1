import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { integrationKind } from '../../domain/integrations/index.ts';
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
  const discord = integrationKind('discord');
  expect(onlyAddress(discord, { webhook_url })).toBe(webhook_url);
  expect(onlyAddress(discord, { webhook_url, bot_token: 'a-token' })).toBeUndefined();
  expect(onlyAddress(integrationKind('github'), {})).toBeUndefined();
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
