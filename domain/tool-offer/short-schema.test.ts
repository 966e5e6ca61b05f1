import { expect, test } from '@jest/globals';
import { shortSchema } from './short-schema.ts';

test('lengths, patterns and bans of other properties go, at every level', () => {
  const id = { type: 'string', pattern: '^[0-9a-f]+$', minLength: 1, maxLength: 64 };
  const steps = {
    type: 'array',
    maxItems: 50,
    items: { type: 'object', properties: { id }, additionalProperties: false },
  };
  const schema = {
    type: 'object',
    properties: {
      steps,
      either: { anyOf: [id, { type: 'null' }] },
      by_name: { type: 'object', additionalProperties: id },
    },
    required: ['steps'],
    additionalProperties: false,
  };
  const short = { type: 'string' };
  expect(shortSchema(schema)).toEqual({
    type: 'object',
    properties: {
      steps: { type: 'array', items: { type: 'object', properties: { id: short } } },
      either: { anyOf: [short, { type: 'null' }] },
      by_name: { type: 'object', additionalProperties: short },
    },
    required: ['steps'],
  });
});

test('what a model goes by stays: choices, descriptions, and the bounds of numbers', () => {
  const properties = {
    action: { type: 'string', enum: ['add', 'list'], description: 'What to do.' },
    limit: { type: 'integer', maximum: 100 },
    days: { type: 'integer', minimum: 7, maximum: 30 },
  };
  expect(shortSchema({ properties })).toEqual({ properties });
  expect(shortSchema({ type: 'integer', minimum: 1, maximum: 5 })).toEqual({ type: 'integer', maximum: 5 });
});

test('an argument may be called as a keyword is', () => {
  const properties = { pattern: { type: 'string' }, minimum: { type: 'integer' }, properties: { type: 'object' } };
  expect(shortSchema({ properties })).toEqual({ properties });
});
