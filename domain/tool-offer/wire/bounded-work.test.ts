import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import type { Schema } from './flatten.ts';
import { fromWireArguments, toWireTool } from './wire-tools.ts';

const LENIENT = { maxDescription: 1_000 };
/** What is bounded are the characters of names and values; keywords and punctuation come on top. */
const MAX_OFFERED = 128 * 1_024;
const LONG = { description: 'x'.repeat(25_000) };

function written(parameters: Schema): Schema {
  return toWireTool({ name: 't', description: 'T', parameters }, LENIENT).parameters;
}

const times = <Each>(count: number, each: (at: number) => Each): Each[] =>
  Array.from({ length: count }, (_, at) => each(at));
const properties = (count: number, each: unknown = {}): Schema =>
  Object.fromEntries(times(count, (at) => [`p${at}`, each]));
const reference = (name: string) => ({ $ref: `#/$defs/${name}` });
const wide = { type: 'object', properties: properties(1_500) };

function nested(levels: number, count: number): Schema {
  const inner = levels === 0 ? {} : { anyOf: times(2, () => nested(levels - 1, count)) };
  return {
    properties: Object.fromEntries(times(count, (at) => [`p${levels}_${at}`, { title: `${levels}` }])),
    ...inner,
  };
}

/** All of its alternatives tell of the same properties. */
function chained(levels: number): Schema {
  const within = levels === 0 ? {} : chained(levels - 1);
  const alternatives = [within, ...times(30, (at) => ({ properties: { a: { title: `${levels}-${at}` } } }))];
  return { properties: { a: { title: `${levels}` } }, anyOf: alternatives };
}

/** Schemas of about 32 KB that took seconds, or grew to megabytes. */
const ATTACKS: Readonly<Record<string, Schema>> = {
  'a wide object with many empty parts': { ...wide, allOf: times(6_000, () => ({})) },
  'a wide object with parts that have properties': { ...wide, allOf: times(500, () => ({ properties: { p1: {} } })) },
  'alternatives of one wide object': { anyOf: times(700, () => reference('wide')), $defs: { wide } },
  'alternatives of wide objects that differ': {
    anyOf: times(500, (at) => ({ ...reference('wide'), required: [`p${at}`] })),
    $defs: { wide },
  },
  'alternatives within each other': nested(6, 10),
  'alternatives of one name in a chain': chained(19),
  'alternatives that double at each level': {
    ...reference('d0'),
    $defs: Object.fromEntries(
      times(20, (at) => [
        `d${at}`,
        {
          properties: { a: { description: 'x'.repeat(1_000), title: `${at}` } },
          anyOf: times(2, () => reference(`d${at + 1}`)),
        },
      ]),
    ),
  },
  'properties that refer to one long description': {
    properties: properties(320, reference('long')),
    $defs: { long: LONG },
  },
  'properties that refer to one long list of choices, none of which fits': {
    properties: properties(900, reference('choices')),
    $defs: { choices: { type: 'string', enum: times(8_000, (at) => at % 10) } },
  },
  'properties that refer to one long pattern': {
    properties: properties(900, reference('pattern')),
    $defs: { pattern: { type: 'string', pattern: `^${'[a-z]'.repeat(4_000)}($` } },
  },
  'properties that refer to one schema with many unknown keywords': {
    properties: properties(900, reference('unknown')),
    $defs: { unknown: properties(2_000) },
  },
  'properties that refer by one long path': {
    properties: properties(900, reference('hop')),
    $defs: { hop: { $ref: `#${'/a'.repeat(10_000)}` } },
  },
  'properties that refer to one object with a long name in it': {
    properties: properties(900, reference('named')),
    $defs: { named: { properties: { ['ﷺ'.repeat(8_000)]: {} } } },
  },
};

describe('a schema that would take endless work', () => {
  test.each(Object.entries(ATTACKS))('is bounded in time and size: %s', (_, schema) => {
    let offered: Schema = {};
    const took = cpuTimeOf(() => {
      offered = written(schema);
    });
    expect(took).toBeLessThan(1_000);
    expect(JSON.stringify(offered).length).toBeLessThan(MAX_OFFERED);
  });

  test('is offered as any object, whose arguments keep the names that the model gives them', () => {
    const parameters = {
      properties: { 'große Zahl': {}, ...properties(320, reference('long')) },
      $defs: { long: LONG },
    };
    const tool = { name: 't', description: 'T', parameters };
    expect(toWireTool(tool, LENIENT)).toEqual({ ...tool, parameters: { type: 'object', properties: {} } });
    const { properties: small } = written({ properties: { 'große Zahl': {} } });
    const [name] = Object.keys(small as object);
    expect(fromWireArguments(`{"${name}": 1}`, tool, LENIENT)).toBe(`{"${name}": 1}`);
  });
});

describe('a wide schema that means what it says', () => {
  const described = properties(200, { type: 'string', description: 'One of the many fields of a record.' });

  test('comes whole when it is merged from five parts', () => {
    const part = (at: number) => ({
      properties: { p0: { maxLength: 9 }, [`own${at}`]: { type: 'integer' } },
      required: [`own${at}`],
    });
    const parts = times(5, part);
    expect(written({ type: 'object', properties: described, allOf: parts })).toEqual({
      type: 'object',
      properties: {
        ...described,
        p0: { ...(described['p0'] as object), maxLength: 9 },
        ...Object.fromEntries(parts.flatMap((each) => Object.entries(each.properties).slice(1))),
      },
      required: ['own0', 'own1', 'own2', 'own3', 'own4'],
    });
  });

  test('comes whole when it has ten alternatives', () => {
    const alternatives = times(10, (at) => ({
      properties: { ...described, kind: { const: `k${at}` } },
      required: ['kind'],
    }));
    expect(written({ anyOf: alternatives })).toEqual({
      type: 'object',
      properties: { ...described, kind: { anyOf: times(10, (at) => ({ enum: [`k${at}`] })) } },
      required: ['kind'],
    });
  });

  test('comes whole when it has hundreds of objects within each other', () => {
    const record = { type: 'object', description: 'A record.', properties: properties(9, { type: 'string' }) };
    const schema = { type: 'object', properties: properties(90, record) };
    expect(written(schema)).toEqual(schema);
  });
});
