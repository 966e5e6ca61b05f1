import { describe, expect, test } from '@jest/globals';
import { UGLY_SCHEMAS } from '../../../test/support/ugly-schemas.ts';
import type { Schema } from './flatten.ts';
import { toWireTool } from './wire-tools.ts';

const LENIENT = { maxDescription: 1_000 };

function written(parameters: Schema | undefined): Schema {
  return toWireTool({ name: 't', description: 'T', parameters: parameters ?? {} }, LENIENT).parameters;
}

describe('the schema that a provider is offered', () => {
  test('is the one of the tool, when nothing in it is refused', () => {
    const schema = {
      type: 'object',
      description: 'All of it.',
      properties: {
        who: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
        ids: { type: 'array', items: { type: ['integer', 'null'], minimum: 0 }, maxItems: 3 },
        either: {
          anyOf: [
            { type: 'string', pattern: '^[a-z]$' },
            { type: 'boolean', default: true },
          ],
        },
        mode: { oneOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
        free: { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      },
      required: ['who'],
      additionalProperties: false,
    };
    expect(written(schema)).toEqual(schema);
  });

  test('has the properties of all alternatives, and requires what all of them require', () => {
    expect(written(UGLY_SCHEMAS['root_any_of'])).toEqual({
      type: 'object',
      properties: { id: { anyOf: [{ type: 'integer' }, { type: 'string' }] }, name: { type: 'string' } },
      required: ['id'],
    });
    expect(written(UGLY_SCHEMAS['root_one_of'])).toEqual({
      type: 'object',
      description: 'Needs one of these: a; b.',
      properties: { a: {}, b: {} },
    });
    expect(written(UGLY_SCHEMAS['root_condition'])).toEqual({
      type: 'object',
      properties: { kind: { type: 'string' }, path: { type: 'string' }, url: { type: 'string' } },
    });
  });

  test('has what it refers to, and is merged from its parts', () => {
    const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    expect(written(UGLY_SCHEMAS['root_reference'])).toEqual(person);
    expect(written(UGLY_SCHEMAS['root_all_of'])).toEqual({
      ...person,
      properties: { ...person.properties, age: { type: 'integer' } },
    });
  });

  test('writes what refers to itself once', () => {
    expect(written(UGLY_SCHEMAS['recursive'])).toEqual({
      type: 'object',
      properties: {
        tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { type: 'object', properties: {} } } },
        },
      },
    });
  });

  test('keeps what a lenient dialect means by its words', () => {
    expect(written(UGLY_SCHEMAS['dialect'])).toMatchObject({
      properties: {
        age: { type: 'number', minimum: 0 },
        maybe: { type: ['string', 'null'] },
        mode: { enum: ['fast'] },
        level: { type: 'string', enum: ['', 'a'] },
        flag: { type: 'boolean' },
        rest: { additionalProperties: { type: 'string', format: 'uuid' } },
        missing: {},
      },
      required: ['age', 'missing'],
    });
    const optional = { required: false, description: 'x' };
    expect(written({ type: 'object', properties: { optional } })).toEqual({
      type: 'object',
      properties: { optional: { description: 'x' } },
    });
  });
});
