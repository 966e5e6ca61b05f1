import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from '../../api/http/define-route.ts';
import type { ApiAnswer } from '../support/api-client.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { forgetAttempts } from '../support/forget-attempts.ts';
import { isLong } from '../support/in-length.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { areaOf, type Caller, type CallerKind, CALLERS, reasonOf, receptionOf } from './callers.ts';
import { idSlotsOf, type IdSlot, withIdAt } from './id-slots.ts';
import { lastingIds, namedByBody } from './make-records.ts';
import { fill, fillWith, idNames, type PathIds } from './path-ids.ts';
import { ASKING, failureOf, routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

// Every route with every kind of caller, and every id in requests of those who are let in: what is expected is
// worked out from the declaration of the route alone.

const served = serveTestApi();
let host: TestUser;
let stranger: TestUser;
const cast = new Map<string, Promise<Caller>>();

/** Routes after which the caller, or the organization, is no longer what it was. */
const SPENDING: ReadonlySet<string> = new Set([
  'POST /api/auth/logout',
  'DELETE /api/orgs/{org_id}',
  'POST /api/orgs/{org_id}/leave',
]);

const cells = routesThat().flatMap(({ title, route }) =>
  CALLERS.map((kind) => ({ title, route, kind, who: kind.title, reception: receptionOf(route, kind) })),
);
beforeAll(async () => {
  host = await registerUser(served.url);
  stranger = await registerUser(served.url);
  // What the sample of a query asks for.
  const profile = { name: 'Sampled', provider_type: 'openai-compatible', tags: ['a sample'] };
  await host.client.post('/api/model-profiles', profile);
});

const members = cells.filter(
  ({ route, kind, reception }) => reception === 'let in' && kind.role !== undefined && route.access !== 'public',
);
const slotCells = (isLong ? members : []).flatMap(({ title, route, kind, who }) =>
  idSlotsOf(route).map((slot) => ({ title, route, kind, who, slot, location: `${slot.part} ${slot.name}` })),
);

// Each slot of each caller holds two ids: an unknown one, and one of another organization.
const cellCount = cells.length + 2 * slotCells.length;
afterAll(() => {
  process.stdout.write(
    `permission matrix: ${cellCount} cells (${cells.length} rights, ${slotCells.length} ids twice)\n`,
  );
});

describe('every route', () => {
  const open = cells.filter(({ route, reception }) => reception === 'let in' && route.access === 'public');

  test.each(open.filter(({ route }) => route.ownPagesOnly === true))(
    'answers 403 to $who, who is no page of this server: $title',
    async ({ route, kind }) => {
      const { user, headers } = await callerOf(kind, route);
      const body = route.body && { email: 'somebody@example.com', password: 'a password' };
      for (const from of [{}, { 'sec-fetch-site': 'same-site' }, { origin: 'https://elsewhere.example.com' }]) {
        const answer = await user.client.send(route.method.toUpperCase(), fill(route), body, { ...headers, ...from });
        expect([from, answer.status]).toEqual([from, 403]);
      }
    },
  );

  test.each(open.filter(({ route }) => route.ownPagesOnly !== true))(
    'is open to $who: $title',
    async ({ route, kind }) => {
      const { user, headers } = await callerOf(kind, route);
      const answer = await user.client.send(route.method.toUpperCase(), fill(route), route.body && {}, headers);
      expect([401, 403]).not.toContain(answer.status);
    },
  );

  test.each(cells.filter(({ reception }) => reception !== 'let in'))(
    'answers $reception to $who: $title',
    async ({ route, kind, reception }) => {
      const { user, headers } = await callerOf(kind, route);
      const path = fill(route, { org_id: host.orgId });
      const method = route.method.toUpperCase();
      const answer = await user.client.send(method, path, route.body && {}, headers);
      const words: unknown = expect.stringContaining(reasonOf(route, kind));
      expect([answer.status, answer.json]).toEqual([reception, failureOf(route, words)]);
    },
  );

  test.each(cells.filter(({ route, reception }) => reception === 'let in' && route.access !== 'public'))(
    'lets $who in: $title',
    async ({ title, route, kind }) => {
      const isSpending = SPENDING.has(title);
      if (isSpending) await forgetAttempts(served.api.database);
      const owner = isSpending ? await registerUser(served.url) : host;
      const caller = isSpending
        ? await kind.make({ api: served.api, host: owner, area: areaOf(route) })
        : await callerOf(kind, route);
      const { ids, status } = await harmless(route, kind, caller, owner);
      const answer = await caller.user.client.send(
        route.method.toUpperCase(),
        fill(route, ids),
        route.body && {},
        caller.headers,
      );
      const isOwnerLeaving = title.endsWith('/leave') && kind.role === 'owner';
      expect(answer.status).toBe(isOwnerLeaving ? 409 : status);
    },
  );
});

// Other tests send ids as an owner: of bodies, of queries and of records of others.
if (isLong)
  describe('an id that the caller may not know', () => {
    test.each(slotCells)(
      "is answered alike when it is unknown and when it is another organization's: $location of $title, sent by $who",
      async ({ route, kind, slot }) => {
        const caller = await callerOf(kind, route);
        const foreign = await foreignId(slot);
        const unknown = await sendWith(route, caller, slot, randomUUID());
        const answer = await sendWith(route, caller, slot, foreign);
        // A member may lack the right to what the id names, and is told that of any id.
        const refusals = kind.role === 'member' ? [403, 404] : [404];
        expect(slot.isFilter ? [200] : refusals).toContain(unknown.status);
        expect([answer.status, answer.json]).toEqual([unknown.status, unknown.json]);
      },
    );
  });

/** The one caller of a kind, for an area of keys if they are in a group. */
async function callerOf(kind: CallerKind, route: Route): Promise<Caller> {
  const area = areaOf(route);
  const name = kind.grants === undefined ? kind.title : `${kind.title}/${area}`;
  // More people register here, and more is tried by strangers, than one address may.
  if (route.access === 'public' || !cast.has(name)) await forgetAttempts(served.api.database);
  const caller = cast.get(name) ?? kind.make({ api: served.api, host, area });
  cast.set(name, caller);
  return caller;
}

/** Ids of a request that changes nothing of others, and what it is answered once the right is granted. */
async function harmless(
  route: Route,
  kind: CallerKind,
  caller: Caller,
  owner: TestUser,
): Promise<{ ids: PathIds; status: number }> {
  const known = typeof route.access === 'object' ? { org_id: owner.orgId } : {};
  const hasRecord = idNames(route).some((name) => !(name in known));
  if (!hasRecord && route.upload !== undefined) return { ids: known, status: 422 };
  if (!hasRecord) return { ids: known, status: refusesEmptyBody(route) ? 422 : route.response.status };
  const isPlainGet = route.method === 'get' && route.response.stream === undefined && !ASKING.has(route.path);
  if (isPlainGet && kind.role !== undefined) return { ids: await ownIds(route, caller), status: 200 };
  // The body is looked at before the record is.
  return { ids: known, status: refusesEmptyBody(route) ? 422 : 404 };
}

/** Ids of good records for a path: the caller's own, and the host's where they belong to the organization. */
async function ownIds(route: Route, { user }: Caller): Promise<PathIds> {
  const known = typeof route.access === 'object' ? { org_id: host.orgId } : {};
  return lastingIds(route, served.api, user, { keeper: host, known });
}

/** The id of a record of another organization, of the kind that belongs in the slot. */
async function foreignId({ recordName }: IdSlot): Promise<string> {
  if (recordName === null) return stranger.orgId;
  return (await lastingIds({ path: `/{${recordName}}` }, served.api, stranger))[recordName] ?? '';
}

async function sendWith(route: Route, caller: Caller, slot: IdSlot, id: string): Promise<ApiAnswer> {
  const own = await ownIds(route, caller);
  const path = fillWith(route, own, { ...slot, id });
  const sample =
    route.body &&
    sampleBody(route.body, await lastingIds(namedByBody(route), served.api, caller.user, { keeper: host }));
  const body = slot.part === 'body' ? withIdAt(sample ?? {}, slot.name, id) : sample;
  return caller.user.client.send(route.method.toUpperCase(), path, body, caller.headers);
}

function refusesEmptyBody({ body }: Route): boolean {
  return body !== undefined && !body.safeParse({}).success;
}
