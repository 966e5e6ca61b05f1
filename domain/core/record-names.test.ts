import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { keptVerbatim, present, presenter, toFields } from './record-names.ts';

const fields = {
  display_name: z.string(),
  soul: z.record(z.string(), z.unknown()),
  servers: keptVerbatim(z.array(z.strictObject({ server_id: z.string() }))).meta({ description: 'Kept' }),
  limits: z.strictObject({ token_budget: z.int(), window_hours: z.int() }).partial(),
  chain_id: z.string().nullable(),
};
const newThing = z.strictObject({
  ...fields,
  servers: fields.servers.default([]),
  chain_id: fields.chain_id.default(null),
});
const thingChanges = z.strictObject(fields).partial();
const thing = z.object({
  id: z.string(),
  ...fields,
  metadata_: z.looseObject({ tool_calls: z.int().optional() }),
  steps: z.array(z.object({ model_name: z.string().nullable() })),
  note: z.string().optional(),
  created_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().nullable(),
});

const SERVERS = [{ server_id: 's' }];
const SOUL = { inner_voice: { very_calm: true } };
const record = {
  id: '1',
  displayName: 'Ada',
  soul: SOUL,
  servers: SERVERS,
  limits: { tokenBudget: 5, windowHours: 0 },
  chainId: null,
  metadata: { tool_calls: 2, other_name: 'x' },
  steps: [{ modelName: null }],
  note: undefined,
  createdAt: new Date(0),
  deletedAt: null,
};

describe('toFields', () => {
  test('names the fields of a body, and those within it, in camelCase', () => {
    const body = newThing.parse({ display_name: 'Ada', soul: {}, limits: { token_budget: 5 }, chain_id: 'c' });
    expect(toFields(newThing, body)).toEqual({
      displayName: 'Ada',
      soul: {},
      servers: [],
      limits: { tokenBudget: 5 },
      chainId: 'c',
    });
  });

  test('leaves names alone that are not ours: those of free JSON and of what is kept verbatim', () => {
    const body = newThing.parse({ display_name: 'Ada', soul: SOUL, servers: SERVERS, limits: {} });
    expect(toFields(newThing, body)).toMatchObject({ soul: SOUL, servers: SERVERS });
  });

  test('gives no fields but those that a change names, null among them', () => {
    const changes = toFields(thingChanges, { chain_id: null, display_name: undefined });
    expect(Object.entries(changes)).toEqual([['chainId', null]]);
  });
});

describe('present', () => {
  test('shows what the schema has, times as text, and nothing else of the record', () => {
    const shown = present(thing, { ...record, secretHash: 'never' } as typeof record);
    expect(shown).toEqual({
      id: '1',
      display_name: 'Ada',
      soul: SOUL,
      servers: SERVERS,
      limits: { token_budget: 5, window_hours: 0 },
      chain_id: null,
      metadata_: record.metadata,
      steps: [{ model_name: null }],
      created_at: '1970-01-01T00:00:00.000Z',
      deleted_at: null,
    });
    expect(thing.parse(shown)).toEqual(shown);
  });

  test('takes from what is given beside the record what that does not say, or says otherwise', () => {
    const { chainId: _chainId, ...rest } = record;
    expect(present(thing, rest, { chainId: 'c', displayName: 'Grace' })).toMatchObject({
      chain_id: 'c',
      display_name: 'Grace',
    });
  });

  test('is a fault of types when a field of the schema is missing', () => {
    const { displayName: _displayName, ...rest } = record;
    // @ts-expect-error: `displayName` is missing
    expect(present(thing, rest)).not.toHaveProperty('display_name');
  });

  test('shows each record of a list', () => {
    expect([record, record].map(presenter(thing))).toEqual([present(thing, record), present(thing, record)]);
  });
});
