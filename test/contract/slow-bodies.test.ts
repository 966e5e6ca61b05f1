import { expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { BodyLimit } from '../../api/limits/body-limit.ts';
import { registerUser } from '../support/factories.ts';
import { sendRaw } from '../support/raw-http.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { fingerprint } from './fingerprint.ts';
import { makeIds, namedByBody, NAMED_BY_BODIES } from './make-records.ts';
import { fill } from './path-ids.ts';
import { routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

const served = serveTestApi();
const slow = routesThat(({ access, body }) => access !== 'public' && body !== undefined);

test('every route answers 401, and changes nothing, when the key is revoked while the body is on its way', async () => {
  const user = await registerUser(served.url);
  const { json: key } = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
  const ids = { ...(await makeIds(NAMED_BY_BODIES, served.api, user)), org_id: user.orgId };
  const requests: { title: string; head: string; body: string }[] = [];
  for (const { title, route } of slow) {
    const path = fill(route, await makeIds(route, served.api, user, { known: ids }));
    const named = await makeIds(namedByBody(route), served.api, user, { known: ids });
    const body = JSON.stringify(sampleBody(route.body ?? z.never(), { ...ids, ...named }));
    const lines = [
      `${route.method.toUpperCase()} ${path} HTTP/1.1`,
      `Authorization: Bearer ${key.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    requests.push({ title, head: lines.join('\r\n'), body });
  }
  // Asked once a request is let in, before its body is read.
  const letIn = jest.spyOn(BodyLimit.prototype, 'acquire');
  const { promise: revoked, resolve: goOn } = Promise.withResolvers<void>();
  const answers = requests.map(async ({ title, head, body }) => {
    const { status } = await sendRaw(served.url, { head, body, meanwhile: async () => revoked });
    return [title, status];
  });
  await waitUntil('all requests to be let in', () => letIn.mock.calls.length >= requests.length || undefined);
  // Longer than an admission is good for.
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
  await user.client.delete(`/api/users/me/api-keys/${key.id}`);
  const before = await fingerprint(served.api.database);
  goOn();
  expect(await Promise.all(answers)).toEqual(slow.map(({ title }) => [title, 401]));
  expect(await fingerprint(served.api.database)).toBe(before);
});
