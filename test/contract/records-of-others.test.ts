import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiAnswer, ApiClient } from '../support/api-client.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import type { Route } from '../../api/http/define-route.ts';
import { fingerprint } from './fingerprint.ts';
import { lastingIds, makeIds, MANY_ORGS, PERSONAL, SOFT_DELETE } from './make-records.ts';
import { fill, idNames, type PathIds, SECRETS } from './path-ids.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { registerColleague } from '../support/people.ts';
import { AGENT_CARD_PATH, ASKING, failureOf, isOfOwnApi, routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

const served = serveTestApi({ orgLimits: MANY_ORGS });
let owner: TestUser;
let colleague: TestUser;
let stranger: TestUser;
/** Two members of the owner's organization. */
let members: readonly [TestUser, TestUser];

const recordNames = (route: Route) => idNames(route).filter((name) => !SECRETS.has(name));
const withIds = routesThat((route) => recordNames(route).length > 0);
const slots = withIds.flatMap(({ title, route }) => recordNames(route).map((name) => ({ title, route, name })));

// Whoever knows the id of a workflow may call its webhook, from whatever organization (specification,
// "Authentication"), and everybody may read the card of a published agent.
const OPEN_TO_ALL: readonly string[] = ['/api/workflows/{workflow_id}/webhook', AGENT_CARD_PATH];
const isOpenToAll = ({ path }: Route) => OPEN_TO_ALL.includes(path);

async function call(client: ApiClient, route: Route, ids: PathIds): Promise<ApiAnswer> {
  return client.send(route.method.toUpperCase(), fill(route, ids), route.body && sampleBody(route.body, ids));
}

async function expectLikeUnknown(route: Route, name: string, ids: PathIds, { client } = owner): Promise<void> {
  const before = await fingerprint(served.api.database);
  const unknown = await call(client, route, { ...ids, [name]: UNKNOWN_ID });
  const answer = await call(client, route, ids);
  expect(unknown.status).toBe(404);
  expect([answer.status, answer.json]).toEqual([404, unknown.json]);
  expect(await fingerprint(served.api.database)).toBe(before);
}

const read = withIds.filter(
  ({ route }) => route.method === 'get' && route.response.stream === undefined && !ASKING.has(route.path),
);

const noIdsOfEach = inLength(1, Infinity);

beforeAll(async () => {
  owner = await registerUser(served.url);
  colleague = await registerColleague(served.api, owner, 'admin');
  stranger = await registerUser(served.url);
  const join = async () => registerColleague(served.api, owner, 'member');
  members = [await join(), await join()];
});

describe('an id in a path, or one that a query needs', () => {
  const closed = slots.filter(({ route }) => !isOpenToAll(route));
  test.each(closed)("is answered as unknown when it is another organization's: {$name} of $title", async (slot) => {
    const { route, name } = slot;
    const own = await lastingIds(route, served.api, owner);
    const theirs = await lastingIds(route, served.api, stranger);
    await expectLikeUnknown(route, name, { ...own, [name]: theirs[name] ?? '' });
    await expectLikeUnknown(route, name, theirs);
  });

  test.each(slots)('is answered as unknown when it is of another kind: {$name} of $title', async ({ route, name }) => {
    const own = await lastingIds(route, served.api, owner);
    await expectLikeUnknown(route, name, { ...own, [name]: name === 'org_id' ? owner.id : owner.orgId });
  });

  test.each(slots.filter(({ name }) => PERSONAL.has(name)))(
    "is answered as unknown when it is a colleague's: {$name} of $title",
    async ({ route, name }) => {
      const own = await lastingIds(route, served.api, owner);
      const theirs = await lastingIds(route, served.api, colleague);
      await expectLikeUnknown(route, name, { ...own, [name]: theirs[name] ?? '' });
      await expectLikeUnknown(route, name, theirs);
    },
  );

  test.each(slots.filter(({ name }) => name === 'provider_id'))(
    "is answered as unknown to a member when it is a colleague's that is not shared: {$name} of $title",
    async ({ route, name }) => {
      const [member, other] = members;
      const theirs = await lastingIds(route, served.api, other);
      await expectLikeUnknown(route, name, theirs, member);
    },
  );

  test.each(slots.filter(({ route, name }) => idNames(route)[0] !== name))(
    'is answered as unknown when it belongs to another parent: {$name} of $title',
    async ({ route, name }) => {
      const own = await lastingIds(route, served.api, owner);
      const other = await makeIds(route, served.api, owner);
      await expectLikeUnknown(route, name, { ...own, [name]: other[name] ?? '' });
    },
  );

  test.each(slots.filter(({ route, name }) => name in SOFT_DELETE && !/\/(?:restore|purge)$/.test(route.path)))(
    'is answered as unknown when the record was deleted: {$name} of $title',
    async ({ route, name }) => {
      const own = await makeIds(route, served.api, owner);
      await SOFT_DELETE[name]?.(owner.client, own[name] ?? '');
      await expectLikeUnknown(route, name, own);
    },
  );

  test.each(slots)('is refused with 422 when it is no UUID: {$name} of $title', async ({ route, name }) => {
    const own = await lastingIds(route, served.api, owner);
    const noIds = ['1', 'null', '%00', '..%2f..%2fetc', "'%20or%201=1--", `{${UNKNOWN_ID}}`, `${UNKNOWN_ID}%00`, 'é'];
    for (const id of noIds.slice(0, noIdsOfEach)) {
      const answer = await call(owner.client, route, { ...own, [name]: id });
      expect([id, answer.status]).toEqual([id, 422]);
      const detail = [{ loc: [route.path.includes(`{${name}}`) ? 'path' : 'query', name] }];
      if (isOfOwnApi(route)) expect(answer.json).toMatchObject({ detail });
      else expect(answer.json).toEqual(failureOf(route, expect.stringContaining(`${name}: `)));
    }
  });
});

describe.each(read)('$title', ({ route }) => {
  test('answers alike when the ids are written in upper case', async () => {
    const ids = await lastingIds(route, served.api, owner);
    const lower = await call(owner.client, route, ids);
    const inUpperCase = recordNames(route).map((name) => [name, ids[name]?.toUpperCase() ?? '']);
    const upper = { ...ids, ...Object.fromEntries(inUpperCase) };
    const answer = await call(owner.client, route, upper);
    expect(lower.status).toBe(200);
    expect([answer.status, answer.json]).toEqual([200, lower.json]);
  });
});
