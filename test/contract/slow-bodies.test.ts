import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fingerprint } from './fingerprint.ts';
import { makeIds } from './make-records.ts';
import { fill } from './path-ids.ts';
import { sendRaw } from '../support/raw-http.ts';
import { routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

/** Longer than an admission is good for while a body is on its way. */
const SLOW_MS = 300;

describe.each(routesThat(({ access, body }) => access !== 'public' && body !== undefined))('$title', ({ route }) => {
  test('answers 401, and changes nothing, when the key is revoked while the body is on its way', async () => {
    const { json: key } = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
    const ids = {
      ...(await makeIds({ path: '/{agent_id}/{project_id}/{chat_id}' }, served.api, user)),
      org_id: user.orgId,
    };
    const path = fill(route, await makeIds(route, served.api, user, { known: ids }));
    const body = JSON.stringify(sampleBody(route.body ?? z.never(), ids));
    const lines = [
      `${route.method.toUpperCase()} ${path} HTTP/1.1`,
      `Authorization: Bearer ${key.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    let before = '';
    const revoke = async () => {
      // Those who wait for the first byte have been let in by then.
      await sleep(SLOW_MS);
      await user.client.delete(`/api/users/me/api-keys/${key.id}`);
      before = await fingerprint(served.api.database);
    };
    const answer = await sendRaw(served.url, { head: lines.join('\r\n'), body, meanwhile: revoke });
    expect(answer.status).toBe(401);
    expect(await fingerprint(served.api.database)).toBe(before);
  });
});
