import { describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../../../domain/core/objects/exact-json.ts';
import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { parseArguments } from './parse-arguments.ts';

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
      error: { message: expect.stringMatching(/hold 1234567890123456789, .*: give it as a text/) },
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
