import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fingerprint } from './fingerprint.ts';
import { idSlotsOf } from './id-slots.ts';
import { lastingIds, MANY_ORGS } from './make-records.ts';
import { fill, withQuery } from './path-ids.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { ASKING, routesThat } from './route-list.ts';
import { type FieldSchema, fieldsOf } from './sample-body.ts';

/** The most records of a page whose records are large or are each made of many, by the end of the path. */
const SMALLER_PAGES = { '/messages': 500, '/permissions/budgets': 100 };

const served = serveTestApi({ orgLimits: MANY_ORGS });
let user: TestUser;
let stranger: TestUser;

/** Returns whether any text is a value of the parameter. */
function isFree({ type, format, pattern, enum: values }: FieldSchema): boolean {
  return type === 'string' && format === undefined && pattern === undefined && values === undefined;
}

const parameters = routesThat(({ query }) => query !== undefined).flatMap(({ title, route }) =>
  fieldsOf(route.query ?? z.never()).map(({ name, field }) => ({
    title,
    route,
    name,
    isId: field.format === 'uuid',
    isFree: isFree(field),
    fits: (text: string) => field.pattern !== undefined && new RegExp(field.pattern, 'u').test(text),
  })),
);
const numbers = parameters.filter(({ isId }) => !isId);
/** What a list is narrowed by. */
const filters = routesThat(({ query }) => query !== undefined).flatMap(({ title, route }) =>
  idSlotsOf(route)
    .filter(({ isFilter }) => isFilter)
    .map(({ name, recordName }) => ({ title, route, name, idName: recordName ?? 'agent_id' })),
);

const lists = routesThat(
  ({ method, path, response }) => method === 'get' && response.schema?.type === 'array' && !ASKING.has(path),
);

const valuesOfEach = inLength(2, Infinity);

beforeAll(async () => {
  user = await registerUser(served.url);
  stranger = await registerUser(served.url);
});

describe('a parameter of a query', () => {
  test.each(parameters)(
    'gets 422 when it is absurd or given twice: $name of $title',
    async ({ route, name, isFree, fits }) => {
      const path = fill(route, await lastingIds(route, served.api, user));
      const ofType = ['99999999999', 'abc', '%F0%9F', '-1', '1.5', '1e9', 'NaN', 'null', '[]', "1'--"];
      const absurd = [...(isFree ? [] : ofType), '', '%00'];
      const faulty = absurd.filter((value) => !fits(value)).slice(0, valuesOfEach);
      for (const query of [...faulty.map((value) => `${name}=${value}`), `${name}=1&${name}=2`]) {
        const answer = await user.client.send(route.method.toUpperCase(), withQuery(path, query));
        expect([query, answer.status]).toEqual([query, 422]);
        expect(answer.json).toMatchObject({ detail: [{ loc: ['query', name] }] });
      }
    },
  );

  test.each(numbers.filter(({ name, route }) => name === 'limit' && !ASKING.has(route.path)))(
    'is 1 to 1,000, to 500 of messages, and to 100 of budgets: $name of $title',
    async ({ route }) => {
      const most = Object.entries(SMALLER_PAGES).find(([end]) => route.path.endsWith(end))?.[1] ?? 1_000;
      const path = fill(route, await lastingIds(route, served.api, user));
      const statuses = [];
      for (const limit of [0, 1, most, most + 1])
        statuses.push((await user.client.get(`${path}?limit=${limit}`)).status);
      expect(statuses).toEqual([422, 200, 200, 422]);
    },
  );

  test.each(filters)(
    "finds nothing with another organization's id, as with an unknown one: $name of $title",
    async ({ route, name, idName }) => {
      const ids = await lastingIds({ path: `/{${idName}}` }, served.api, stranger);
      const path = fill(route, await lastingIds(route, served.api, user));
      const unknown = await user.client.get(`${path}?${name}=${UNKNOWN_ID}`);
      const foreign = await user.client.get(`${path}?${name}=${ids[idName]}`);
      expect([foreign.status, foreign.json]).toEqual([unknown.status, unknown.json]);
      expect(foreign.headers.get('x-total-count')).toBe('0');
    },
  );
});

describe.each(routesThat(({ path }) => path.startsWith('/api/')))('$title', ({ route }) => {
  test('gets 422 that names each parameter that does not exist, and changes nothing', async () => {
    const path = fill(route, await lastingIds(route, served.api, user));
    const before = await fingerprint(served.api.database);
    const unknown = ['__proto__=x', 'a=1', 'LIMIT=1', 'a[]=1', 'constructor[prototype]=1', 'b=1&'.repeat(1000)];
    for (const query of unknown.slice(0, valuesOfEach)) {
      const answer = await user.client.send(route.method.toUpperCase(), withQuery(path, query), route.body && {});
      const loc = ['query', query.split('=')[0]];
      const fault = { type: 'extra_forbidden', loc, msg: 'this parameter does not exist' };
      expect([query, answer.status, answer.json]).toEqual([query, 422, { detail: [fault] }]);
    }
    expect(await fingerprint(served.api.database)).toBe(before);
  });
});

describe.each(lists)('$title', ({ route }) => {
  test('tells how many records there are in all, also beyond the last', async () => {
    const path = fill(route, await lastingIds(route, served.api, user));
    const answer = await user.client.get<unknown[]>(path);
    expect(Number(answer.headers.get('x-total-count'))).toBeGreaterThanOrEqual(answer.json.length);
    expect(answer.headers.get('x-total-count')).toMatch(/^\d+$/);
    const beyond = await user.client.get<unknown[]>(`${path}?offset=10000`);
    // Each look at the audit log is an entry in it.
    const total = route.path === '/api/audit' ? expect.stringMatching(/^\d+$/) : answer.headers.get('x-total-count');
    expect([beyond.status, beyond.json, beyond.headers.get('x-total-count')]).toEqual([200, [], total]);
  });

  test('is answered one record at a time when that is asked for, each page with the way to the next', async () => {
    const path = fill(route, await lastingIds(route, served.api, user));
    const total = Number((await user.client.get(path)).headers.get('x-total-count'));
    const first = await user.client.get<unknown[]>(`${path}?limit=1`);
    expect(first.json).toHaveLength(Math.min(total, 1));
    if (total > 1) expect(first.headers.get('link')).toBe('<?limit=1&offset=1>; rel="next"');
    else expect(first.headers.get('link')).toBeNull();
    if (route.path === '/api/audit' || total === 0) return;
    const last = await user.client.get<unknown[]>(`${path}?limit=1&offset=${total - 1}`);
    expect([last.json.length, last.headers.get('link')]).toEqual([1, null]);
  });
});
