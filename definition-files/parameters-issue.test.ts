import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtinTools } from '../builtin/index.ts';
import { cpuTimeOf } from '../test/support/cpu-time.ts';
import { ExaminationBudget, parametersIssue } from './parameters-issue.ts';

const withProperty = (property: unknown, more: object = {}) => ({
  type: 'object',
  properties: { a: property },
  ...more,
});

/** Definitions each of which refers to the next one twice: with all references followed, 2 to the power of `depth`. */
function explosion(depth: number) {
  const definitions = Array.from({ length: depth }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, at + 1 < depth ? { type: 'object', properties: { a: next, b: next } } : { type: 'string' }];
  });
  return withProperty({ $ref: '#/$defs/d0' }, { $defs: Object.fromEntries(definitions) });
}

// Patterns are examined for a share of a process's time, which other tests may have used up: an hour later it is whole.
let hours = 0;
beforeEach(() => {
  hours += 1;
  const later = performance.now() + hours * 3_600_000;
  jest.spyOn(performance, 'now').mockReturnValue(later);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('parametersIssue', () => {
  test.each(builtinTools.map(({ key, parameters }) => [key, parameters] as const))('accepts %s', (_key, parameters) => {
    expect(parametersIssue(parameters)).toBeUndefined();
  });

  test.each([
    [{ type: 'object' }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', ...withProperty({ type: ['string', 'null'] }) }],
    [withProperty({ $ref: '#/$defs/a~1b' }, { $defs: { 'a/b': { type: 'string' } } })],
    [withProperty({ type: 'string', pattern: '^[^@]+@[^@]+\\.[^@]+$' })],
    [withProperty({ type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' })],
    [withProperty({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } })],
    [explosion(8)],
  ])('accepts %j', (schema) => {
    expect(parametersIssue(schema)).toBeUndefined();
  });

  test.each([
    [{}, '"type": "object"'],
    [{ type: 'string' }, '"type": "object"'],
    [{ type: 'object', properties: [] }, 'not a valid JSON Schema'],
    [withProperty({ type: 'text' }), 'not a valid JSON Schema'],
    [withProperty({ type: 'object', required: 'a' }), 'not a valid JSON Schema'],
    [withProperty({ $ref: 'https://evil.example.com/schema.json' }), 'parts of itself only'],
    [withProperty({ $ref: 'other.json#/a' }), 'parts of itself only'],
    [withProperty({ $ref: '#/$defs/none' }), 'no part of it'],
    [withProperty({ $ref: '#/constructor' }), 'no part of it'],
    [withProperty({ $id: 'https://evil.example.com/', type: 'string' }), '$id'],
    [withProperty({ $ref: '#' }), 'itself'],
    [withProperty({ $ref: '#/$defs/a' }, { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }), 'itself'],
    [withProperty(JSON.parse(`${'{"items":'.repeat(40)}{}${'}'.repeat(40)}`)), '30 levels'],
    [explosion(13), '5000 parts'],
    [withProperty({ type: 'string', pattern: '(a+)+$' }), 'busy'],
    [withProperty({ type: 'string', pattern: '^(a|aa)+$' }), 'busy'],
    [withProperty({ type: 'string', pattern: '(' }), 'regular expression'],
    [withProperty({ type: 'object', patternProperties: { '(a*)*b': {} } }), 'busy'],
    [withProperty({ type: 'string', pattern: 'a'.repeat(501) }), '500 characters'],
    [withProperty({ type: 'string', description: 'x'.repeat(70_000) }), '65536 characters'],
  ])('refuses %j', (schema, words) => {
    // Other tests of the process may have spent its budget, and a busy machine takes long for little work.
    expect(parametersIssue(schema, new ExaminationBudget(60_000))).toContain(words);
  });

  test('takes little time for schemas that are made to take much', () => {
    const patterns = Array.from({ length: 50 }, (_, at) => [`(x{0,${at + 20}}|y?)*(${'a?'.repeat(80)})*$`, {}]);
    const schemas = [explosion(13), withProperty({ patternProperties: Object.fromEntries(patterns) })];
    for (const schema of schemas) expect(cpuTimeOf(() => parametersIssue(schema))).toBeLessThan(10_000);
  });
});
