import { describe, expect, test } from '@jest/globals';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { createCodeHost } from './code-host.ts';

const signal = new AbortController().signal;
const GET = { path: '/issues', maxBytes: 1_000 };

/** A host that takes one token only, and the tokens that it was sent. */
function hostThatTakes(taken: string, renew?: (rejected: string) => Promise<string | undefined>) {
  const sent: (string | undefined)[] = [];
  const http: GuardedHttp = {
    request: async ({ url, headers }) => {
      sent.push(headers['Authorization']);
      const status = headers['Authorization'] === `Bearer ${taken}` ? 200 : 401;
      return { status, headers: new Map(), body: Buffer.from('[]'), finalUrl: url, redirects: 0, isTruncated: false };
    },
  };
  const address = {
    kind: 'github' as const,
    apiUrl: 'https://api.github.com',
    names: ['owner', 'name'],
    token: 'old',
    renew,
  };
  return { host: createCodeHost(http, address, signal), sent };
}

describe('a host that no longer takes a token', () => {
  test('is asked again with another one, which is used from then on', async () => {
    const { host, sent } = hostThatTakes('new', async (rejected) => (rejected === 'old' ? 'new' : 'none'));
    expect((await host.request(GET)).status).toBe(200);
    expect((await host.request(GET)).status).toBe(200);
    expect(sent).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
  });

  test.each([
    ['there is no other', undefined, 1],
    ['the other is the same', async () => 'old', 1],
    ['it takes the other neither', async () => 'other', 2],
  ])('has rejected the credentials when %s', async (_when, renew, requests) => {
    const { host, sent } = hostThatTakes('new', renew);
    await expect(host.request(GET)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(sent).toHaveLength(requests);
  });
});
