import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from '../../api/http/define-route.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { allowlistOf, resourceOf } from '../../domain/resources.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { fingerprint } from './fingerprint.ts';
import { idSlotsOf, type IdSlot, withIdAt } from './id-slots.ts';
import { lastingIds, makeIds, namedByBody, SOFT_DELETE } from './make-records.ts';
import { fill, fillWith, type PathIds } from './path-ids.ts';
import { registerColleague } from '../support/people.ts';
import { failureOf, routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

// Every place of a request that names what permission groups can allow one by one, and every list and addition of it.

const GROUPS = '/api/permissions/groups';
const served = serveTestApi();
let owner: TestUser;
let member: TestUser;
let groupPath: string;
/** The kind of records of which the member may use certain ones only. */
let restricted: string | undefined;

beforeAll(async () => {
  owner = await registerUser(served.url);
  member = await registerColleague(served.api, owner, 'member');
  const permissions = PERMISSION_CATALOG.map(({ key }) => key);
  const { json } = await owner.client.post<{ id: string }>(GROUPS, { name: 'Certain records', permissions });
  groupPath = `${GROUPS}/${json.id}`;
  await owner.client.send('PUT', `${groupPath}/members`, { user_ids: [member.id] });
});
afterEach(async () => {
  if (restricted !== undefined) await allow(restricted, []);
});

/** Lets the member use only these records of the kind that the list is of; all of them when there are none. */
async function allow(field: string, ids: readonly string[]): Promise<void> {
  restricted = field;
  const { status } = await owner.client.patch(groupPath, { capabilities: { [field]: ids } });
  if (status !== 200) throw new Error(`the allowlist was answered with ${status}`);
}

/** Members change no settings, so their allowlists are never asked there, nor where nobody is. */
const isForMembers = ({ access }: Route) =>
  access !== 'settings.manage' && access !== 'public' && typeof access !== 'object';

function listOf({ resource }: Pick<Route, 'resource'>) {
  const list = allowlistOf(resource);
  return list?.entryKind === 'ids' && resourceOf(resource).idName !== undefined ? list : undefined;
}

const slots = routesThat(isForMembers).flatMap(({ title, route }) =>
  idSlotsOf(route).flatMap(({ resource, recordName, ...slot }) => {
    const list = resource && listOf({ resource });
    if (resource === undefined || list === undefined || recordName === null) return [];
    return [{ ...slot, title, route, list, recordName, thing: resourceOf(resource).name }];
  }),
);

/** Two records of a kind, which no request changes. */
async function twoOf(recordName: string): Promise<[string, string]> {
  const idAt = async (path: Route['path']) => (await lastingIds({ path }, served.api, member))[recordName] ?? '';
  return [await idAt(`/one/{${recordName}}`), await idAt(`/other/{${recordName}}`)];
}

/** A request of the member's own records that names `id` in the slot, and what else its body may name. */
async function requestWith(route: Route, slot: Pick<IdSlot, 'part' | 'name'>, ids: PathIds) {
  const named = await lastingIds(namedByBody(route), served.api, member);
  const sample = route.body && sampleBody(route.body, named);
  const send = async (id: string) => {
    const path = fillWith(route, ids, { ...slot, id });
    const body = slot.part === 'body' ? withIdAt(sample ?? {}, slot.name, id) : sample;
    return member.client.send(route.method.toUpperCase(), path, body);
  };
  return { send, named };
}

describe('the id of a record that the allowlist leaves out', () => {
  test.each(slots.filter(({ isFilter }) => !isFilter))(
    'is answered as an unknown one and changes nothing, until the list has it: $part $name of $title',
    async ({ route, list, recordName, thing, ...slot }) => {
      // A record whose agents are not on the list is not there: that of the path has one which is.
      const isInBody = slot.part === 'body';
      const ids = await makeIds({ path: isInBody ? `/{agent_id}${route.path}` : route.path }, served.api, member);
      const [record, other] = await twoOf(recordName);
      const hidden = (slot.part === 'path' ? ids[slot.name] : undefined) ?? record;
      const { send, named } = await requestWith(route, slot, ids);
      const others = [other, named[recordName] ?? other, (isInBody && ids[recordName]) || other];
      await allow(list.field, others);
      const isOfDeleted = /\/(?:restore|purge)$/.test(route.path);
      if (isOfDeleted) await SOFT_DELETE[recordName]?.(owner.client, hidden);
      const before = await fingerprint(served.api.database);
      for (const id of [hidden, hidden.toUpperCase(), randomUUID()]) {
        const { status, json } = await send(id);
        expect([status, json]).toEqual([404, failureOf(route, `${thing} not found`)]);
      }
      expect(await fingerprint(served.api.database)).toBe(before);
      // What is deleted cannot be added to a list.
      await allow(list.field, isOfDeleted ? [] : [...others, hidden]);
      expect((await send(hidden.toUpperCase())).status).not.toBe(404);
    },
  );

  test.each(slots.filter(({ isFilter }) => isFilter))(
    'narrows a list to what the list shows anyway: $part $name of $title',
    async ({ route, list, recordName, ...slot }) => {
      const [hidden, other] = await twoOf(recordName);
      const { send } = await requestWith(route, slot, await lastingIds(route, served.api, member));
      await allow(list.field, [other]);
      expect((await send(hidden)).status).toBe(200);
    },
  );
});

const ofLists = routesThat((route) => listOf(route) !== undefined).map(({ title, route }) => ({
  title,
  route,
  field: listOf(route)?.field ?? '',
  idName: resourceOf(route.resource).idName ?? '',
}));

describe('a member whose allowlist names certain records', () => {
  test.each(ofLists.filter(({ route }) => route.method === 'post' && route.action === undefined))(
    'adds no others, which they could not use: $title',
    async ({ route, field, idName }) => {
      const { [idName]: allowed = '' } = await makeIds({ path: `/{${idName}}` }, served.api, owner);
      await allow(field, [allowed]);
      const before = await fingerprint(served.api.database);
      const answer = await member.client.post(fill(route), route.body && sampleBody(route.body));
      expect([answer.status, answer.json]).toEqual([403, { detail: expect.stringContaining('allow certain') }]);
      expect(await fingerprint(served.api.database)).toBe(before);
    },
  );

  test.each(ofLists.filter(({ route }) => route.action === undefined && route.response.schema?.type === 'array'))(
    'is shown no others, deleted ones neither: $title',
    async ({ route, field, idName }) => {
      const ids = [];
      for (let count = 0; count < 3; count += 1)
        ids.push((await makeIds({ path: `/{${idName}}` }, served.api, owner))[idName] ?? '');
      const [allowed = '', deleted = '', hidden = ''] = ids;
      await allow(field, [allowed, deleted]);
      const list = async (query = '') => {
        const { json, headers } = await member.client.get<{ id: string }[]>(`${fill(route)}${query}`);
        return [json.map(({ id }) => id), headers.get('x-total-count')];
      };
      expect(await list()).toEqual([[allowed, deleted], '2']);
      expect(await list('?limit=1&offset=1')).toEqual([[deleted], '2']);
      if (SOFT_DELETE[idName] === undefined) return;
      for (const id of [deleted, hidden]) await SOFT_DELETE[idName]?.(owner.client, id);
      expect(await list()).toEqual([[allowed], '1']);
      expect(await list('?deleted=true')).toEqual([[deleted], '1']);
    },
  );
});
