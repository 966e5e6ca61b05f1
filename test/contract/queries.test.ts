import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fill, makeIds, UNKNOWN_ID } from './path-ids.ts';
import { routesThat } from './route-list.ts';
import { fieldsOf } from './sample-body.ts';

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

const parameters = routesThat(({ query }) => query !== undefined).flatMap(({ title, route }) =>
  fieldsOf(route.query ?? z.never()).map(({ name, field }) => ({ title, route, name, isId: field.format === 'uuid' })),
);
const numbers = parameters.filter(({ isId }) => !isId);

describe('a parameter of a query', () => {
  test.each(parameters)('gets 422 when it is absurd or given twice: $name of $title', async ({ route, name }) => {
    const path = fill(route, await makeIds(route, served.api, user));
    const absurd = ['', 'abc', '-1', '1.5', '1e9', '99999999999', 'NaN', '%00', 'null', '[]', "1'--", '%F0%9F'];
    for (const query of [...absurd.map((value) => `${name}=${value}`), `${name}=1&${name}=2`]) {
      const answer = await user.client.get(`${path}?${query}`);
      expect([query, answer.status]).toEqual([query, 422]);
      expect(answer.json).toMatchObject({ detail: [{ loc: ['query', name] }] });
    }
  });

  test.each(numbers.filter(({ name }) => name === 'limit'))('is 1 to 500: $name of $title', async ({ route }) => {
    const path = fill(route, await makeIds(route, served.api, user));
    const statuses = [];
    for (const limit of [0, 1, 500, 501]) statuses.push((await user.client.get(`${path}?limit=${limit}`)).status);
    expect(statuses).toEqual([422, 200, 200, 422]);
  });

  test.each(parameters.filter(({ isId }) => isId))(
    "finds nothing with another organization's id, as with an unknown one: $name of $title",
    async ({ route, name }) => {
      const stranger = await registerUser(served.url);
      const ids = await makeIds({ path: `/{${name}}` }, served.api, stranger);
      const path = fill(route, await makeIds(route, served.api, user));
      const unknown = await user.client.get(`${path}?${name}=${UNKNOWN_ID}`);
      const foreign = await user.client.get(`${path}?${name}=${ids[name]}`);
      expect([foreign.status, foreign.json]).toEqual([unknown.status, unknown.json]);
      expect(foreign.headers.get('x-total-count')).toBe('0');
    },
  );
});

describe.each(routesThat(({ query }) => query !== undefined))('$title', ({ route }) => {
  test('is answered when the query holds parameters that nobody knows', async () => {
    const path = fill(route, await makeIds(route, served.api, user));
    const query = `a[]=1&__proto__=x&constructor[prototype]=1&${'b=1&'.repeat(1000)}`;
    expect((await user.client.get(`${path}?${query}`)).status).toBe(200);
  });
});

describe.each(routesThat(({ response }) => response.schema?.type === 'array'))('$title', ({ route }) => {
  test('tells how many records there are in all', async () => {
    const answer = await user.client.get<unknown[]>(fill(route, await makeIds(route, served.api, user)));
    expect(Number(answer.headers.get('x-total-count'))).toBeGreaterThanOrEqual(answer.json.length);
    expect(answer.headers.get('x-total-count')).toMatch(/^\d+$/);
  });
});
