import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { Route } from '../../api/http/define-route.ts';
import { allowlistOf, RESOURCE_OF_ID, resourceOf } from '../../domain/resources.ts';
import { idSlotsOf } from './id-slots.ts';
import { idNames, SECRETS } from './path-ids.ts';
import { AGENT_CARD_PATH, ASKING, routesThat } from './route-list.ts';
import { type FieldSchema, toFieldSchema } from './sample-body.ts';

// What the declarations of routes have to say of resources, so that the right to what requests name is checked.

/** Fields whose names end like those of ids, and which hold what a client makes up, or another service has given it. */
const NO_IDS: ReadonlySet<string> = new Set([
  'client_message_id',
  'config.oauth.client_id',
  'mcps[].config.oauth.client_id',
  'previous_response_id',
]);

/** A field of a request as its callers see it, with the way to it: `capabilities.agent_ids[]`. */
interface Field {
  readonly name: string;
  readonly isUuid: boolean;
}

function fieldsIn(schema: z.ZodType | undefined): Field[] {
  return schema === undefined ? [] : fieldsBelow(toFieldSchema(schema), '');
}

function fieldsBelow(field: FieldSchema, name: string): Field[] {
  const alternatives = (field.anyOf ?? []).flatMap((alternative) => fieldsBelow(alternative, name));
  const elements = field.items === undefined ? [] : fieldsBelow(field.items, `${name}[]`);
  const parts = Object.entries(field.properties ?? {}).flatMap(([key, part]) =>
    fieldsBelow(part, name === '' ? key : `${name}.${key}`),
  );
  return [{ name, isUuid: field.format === 'uuid' }, ...alternatives, ...elements, ...parts];
}

/** The last name on the way to a field, in the singular: `agent_id` of `capabilities.agent_ids[]`. */
const lastNameOf = (name: string) => name.split('.').at(-1)?.replace('s[]', '') ?? '';

const idsOf = (route: Route) => [...fieldsIn(route.params), ...fieldsIn(route.query), ...fieldsIn(route.body)];
const slots = routesThat().flatMap(({ title, route }) => idSlotsOf(route).map((slot) => ({ title, route, ...slot })));

describe.each(routesThat(({ params, query, body }) => (params ?? query ?? body) !== undefined))(
  '$title',
  ({ route }) => {
    const declared = idSlotsOf(route).map(({ name }) => name);

    test('declares what each id of its requests is of: by idOf, idFilter or idParams', () => {
      const found = idsOf(route).filter(({ isUuid }) => isUuid);
      expect(declared.toSorted()).toEqual(found.map(({ name }) => name).toSorted());
    });

    test('has no field and no part of its path that is named as an id and declared as something else', () => {
      const named = idsOf(route).filter(({ name }) => /_ids?$/.test(name) && !NO_IDS.has(name));
      const inPath = idNames(route).filter((name) => !SECRETS.has(name));
      for (const name of [...inPath, ...named.map((field) => field.name)])
        expect(declared.map((each) => each.replace(/\[\]$/, ''))).toContain(name);
    });
  },
);

describe('a field of a request that contains ids', () => {
  test.each(slots)('is of the resource whose ids are called so: $part $name of $title', ({ name, resource }) => {
    const last = lastNameOf(name);
    const meant = Object.entries(RESOURCE_OF_ID).find(([idName]) => last === idName || last.endsWith(`_${idName}`));
    if (meant !== undefined) expect(resource).toBe(meant[1]);
  });

  const bounded = slots.filter(({ resource }) => resource !== undefined && allowlistOf(resource) !== undefined);
  test.each(bounded.filter(({ route }) => route.path !== AGENT_CARD_PATH))(
    'belongs to a route that knows the allowlists of its caller: $part $name of $title',
    ({ route }) => {
      expect(['public', 'signed_in']).not.toContain(route.access);
    },
  );

  test.each(slots.filter(({ isFilter }) => isFilter))(
    'is a filter only where it narrows a list: $part $name of $title',
    ({ route, part }) => {
      expect([part, route.response.schema?.type]).toEqual(['query', 'array']);
    },
  );
});

/** Reads that use the credentials of an account, or belong to the making of one. */
const WITH_CREDENTIALS: ReadonlySet<string> = new Set([
  ...ASKING,
  '/api/providers/auth/{provider}/status/{account_name}',
  '/api/integrations/{integration_id}/oauth/status',
]);

const withKeys = routesThat(({ resource }) => resourceOf(resource).area !== undefined);

test('webhooks of workflows, events of channels, links of files and cards of agents are the only routes about resources with keys that anybody may call', () => {
  const open = withKeys.filter(({ route }) => route.access === 'public').map(({ title }) => title);
  expect(open).toEqual([
    'GET /api/report-files/{token}',
    'POST /api/channels/{channel_id}/events',
    'POST /api/workflows/{workflow_id}/webhook',
    `GET ${AGENT_CARD_PATH}`,
  ]);
});

describe.each(withKeys.filter(({ route }) => route.access !== 'public'))('$title', ({ route }) => {
  test('asks for the key of the area of its resource, and for more than the view key when it changes something', () => {
    const { area } = resourceOf(route.resource);
    const isRead = route.method === 'get' && !WITH_CREDENTIALS.has(route.path);
    expect(route.access).toBe(`${area}.${isRead ? 'view' : 'manage'}`);
  });
});

describe.each(routesThat(({ method, action }) => method !== 'get' && action === undefined))('$title', ({ route }) => {
  test('does what its method says to one record, or declares an action of its own for the audit log', () => {
    if (route.method === 'post') expect(route.response.status).toBe(201);
    else expect(route.path).toMatch(/(?:\}|\/me)$/);
  });
});
