import { describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../../../domain/core/exact-json.ts';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { checkBySchema, parseArguments } from './parse-arguments.ts';

function check(key: string, value: unknown) {
  const tool = BUILTIN_TOOLS.find((each) => each.key === key);
  if (tool === undefined) throw new Error(`${key} is not there`);
  return parseArguments(key, tool.definition.parameters, value);
}

describe('parseArguments', () => {
  test('answers arguments that fit', () => {
    const value = { path: 'a.md', content: '' };
    expect(check('file_write', value)).toEqual({ value });
  });

  test('gives plain numbers to tools that calculate', () => {
    const args = parseExactJson('{"action":"add","priority":3.0}');
    expect(check('memory_manage', args)).toMatchObject({ value: { priority: 3 } });
  });

  test('says which number a tool would take for another one', () => {
    const args = parseExactJson('{"expression":"a","variables":{"a":1234567890123456789}}');
    expect(check('math_evaluate', args)).toMatchObject({
      error: { message: expect.stringMatching(/contain 1234567890123456789, .*: give it as a text/) },
    });
  });

  test.each([
    ['file_write', null, 'must be a JSON object'],
    ['file_write', [], 'must be a JSON object'],
    ['file_write', 'text', 'must be a JSON object'],
    ['file_write', { path: 'a' }, 'must have the property content'],
    ['file_write', { path: 'a', content: 1 }, 'content must be string'],
    ['file_write', { path: 'a', content: '', extra: 1 }, 'must not have the property extra'],
    ['file_write', { path: 'a', content: '', encoding: 'x' }, 'encoding must be one of ["utf8","base64"]'],
    ['file_write', { path: '', content: '' }, 'path must NOT have fewer than 1 characters'],
    ['file_write', { path: 'a', content: 'x'.repeat(300_000) }, 'longer than'],
    ['file_write', { path: 'a', content: '\u0000' }, 'NUL'],
    ['file_write', JSON.parse('{"path":"a","content":"","__proto__":{}}'), '__proto__'],
    ['http_request', { url: 'http://a', headers: { a: 1 } }, 'headers.a must be string'],
    ['http_request', { url: 'http://a', method: 'TRACE' }, 'method must be one of'],
    ['http_request', { url: 'http://a', idempotency_key: 'a\nb' }, 'idempotency_key must match pattern'],
    ['memory_manage', { action: 'add', priority: 6 }, 'priority must be <= 5'],
    ['json_query', { data: JSON.parse('['.repeat(60) + ']'.repeat(60)), expression: '1' }, 'nest too deep'],
  ])('says what is wrong with a call of %s with %j', (key, value, words) => {
    const result = check(key, value);
    expect(result).toEqual({ error: { kind: 'invalid_input', message: expect.stringContaining(words) } });
    expect('error' in result && result.error.message.length <= 500).toBe(true);
  });
});

const object = (properties: object, rest: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});
const misfit = (words: string) => ({ error: { kind: 'invalid_input', message: expect.stringContaining(words) } });

describe('checkBySchema', () => {
  test('checks by what a schema says, for tools of one key in two organizations', () => {
    const ours = object({ city: { type: 'string' } }, { required: ['city'] });
    const theirs = object({ zip: { type: 'integer' } }, { required: ['zip'] });
    const check = (schema: object, args: object) => checkBySchema('weather', { ...schema }, args);
    for (let round = 1; round <= 2; round += 1) {
      expect(check(ours, { city: 'Rome' })).toEqual({ value: { city: 'Rome' } });
      expect(check(theirs, { zip: 118 })).toEqual({ value: { zip: 118 } });
      expect(check(theirs, { city: 'Rome' })).toEqual(misfit('must have the property zip'));
      expect(check(ours, { zip: 118 })).toEqual(misfit('must have the property city'));
    }
  });

  test('takes two schemas of one id for what they are', () => {
    const $id = 'https://example.com/weather.json';
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(checkBySchema('a', object({ a: {} }, { $id, $schema }), { a: 1 })).toEqual({ value: { a: 1 } });
    expect(checkBySchema('a', object({ b: {} }, { $id, $schema }), { a: 1 })).toEqual(misfit('property a'));
  });

  test.each([
    [{ n: 'x' }, 'n must be integer'],
    [{ list: [1, 'a'] }, 'list.1 must be number'],
    [{ kind: 'c' }, 'kind must be one of ["a","b"]'],
    [{ other: 1 }, 'must not have the property other'],
    [{ toString: 1 }, 'must not have the property toString'],
  ])('says what is wrong with %j', (args, words) => {
    const schema = object({
      n: { type: 'integer' },
      list: { type: 'array', items: { type: 'number' } },
      kind: { enum: ['a', 'b'] },
    });
    expect(checkBySchema('sample', schema, args)).toEqual(misfit(words));
  });

  test.each([
    ['a pattern', object({ a: { type: 'string', pattern: '^(a+)+$' } }), { a: `${'a'.repeat(40)}!` }],
    ['patterns of names', object({}, { patternProperties: { '^(a+)+$': {} } }), { [`${'a'.repeat(40)}!`]: 1 }],
    [
      'different items',
      object({ a: { type: 'array', uniqueItems: true } }),
      { a: Array.from({ length: 60_000 }, () => []) },
    ],
    ['a format', object({ a: { type: 'string', format: 'email' } }), { a: 'x' }],
  ])('is not kept busy by %s: that is for the tool to check', (_what, schema, args) => {
    const took = cpuTimeOf(() => expect(checkBySchema('sample', schema, args)).toEqual({ value: args }));
    expect(took).toBeLessThan(5_000);
  });

  test.each([
    [{ type: 'nonsense' }],
    [object({ a: { $ref: 'https://example.com/other.json' } })],
    [object({ a: { type: 'string', required: true } })],
    [object({ a: { minimum: 0, exclusiveMinimum: true } })],
    [object({ a: { nullable: true, anyOf: [{ type: 'string' }] } })],
    [{ ...object({ a: { minLength: null } }), required: null }],
  ])('leaves it to the tool to check by a schema that is not valid: %j', (schema) => {
    expect(checkBySchema('sample', schema, { a: 1 })).toEqual({ value: { a: 1 } });
    expect(checkBySchema('sample', schema, [])).toEqual(misfit('must be a JSON object'));
  });

  test('contains the rules for the arguments of every tool', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`) as unknown;
    expect(checkBySchema('sample', { type: 'object' }, deep)).toEqual(misfit('nest too deep'));
    expect(checkBySchema('sample', { type: 'object' }, [])).toEqual(misfit('must be a JSON object'));
    expect(checkBySchema('sample', { type: 'object' }, { a: 'x'.repeat(300_000) })).toEqual(misfit('longer than'));
  });
});
