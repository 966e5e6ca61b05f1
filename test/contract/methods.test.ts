import { describe, expect, test } from '@jest/globals';
import { ApiClient } from '../support/api-client.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fill } from './path-ids.ts';
import { declaredPaths, failureOf } from './route-list.ts';

const served = serveTestApi();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Whether a path of the list fits the same address. */
const fits = (path: string, address: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address);

describe.each(declaredPaths())('$path', ({ path }) => {
  const address = fill({ path });
  const methods = declaredPaths().flatMap((other) => (fits(other.path, address) ? other.methods : []));
  const others = METHODS.filter((method) => !methods.includes(method));

  test('answers 405 with the methods that exist when asked with another one', async () => {
    expect(others.length).toBeGreaterThan(0);
    for (const method of [...others, 'PROPFIND']) {
      const answer = await new ApiClient(served.url).send(method, address);
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.json).toEqual(failureOf({ path }, expect.any(String)));
      const heads = methods.includes('GET') ? ['HEAD'] : [];
      expect(new Set(answer.headers.get('allow')?.split(', '))).toEqual(new Set([...methods, ...heads]));
    }
  });
});

describe('an address that no route has', () => {
  test.each([
    '/docs/nothing',
    '/api',
    '/api/nothing',
    '/api/agents/a/b/c',
    '/api//agents',
    '/.env',
    '/api/%ff',
    '/api/agents/%c0%ae',
  ])('is answered with 404: %s', async (address) => {
    const answer = await new ApiClient(served.url).get(address);
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Page not found' }]);
  });
});
