import { describe, expect, test } from '@jest/globals';
import { builtinTools } from '../../../builtin/index.ts';
import { checkArguments, validatorOf } from './check-arguments.ts';
import { findTool, tools } from '../registry.ts';

function check(key: string, value: unknown) {
  const tool = findTool(key);
  if (tool === undefined) throw new Error(`${key} is not there`);
  return checkArguments(tool, value);
}

describe('the tools', () => {
  test.each([...tools.values()].map((tool) => [tool.definition.key, tool] as const))(
    '%s has a schema that compiles, with required properties that exist',
    (_key, tool) => {
      expect(validatorOf(tool)).toBeInstanceOf(Function);
      const { properties = {}, required = [] } = tool.definition.parameters as {
        properties?: object;
        required?: string[];
      };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    },
  );

  test('are all that ship and are run by the worker', () => {
    expect([...tools.keys()]).toEqual(builtinTools.filter(({ effect }) => effect !== 'agent').map(({ key }) => key));
    expect(findTool('constructor')).toBeUndefined();
  });
});

describe('checkArguments', () => {
  test('answers arguments that fit', () => {
    const value = { path: 'a.md', content: '' };
    expect(check('file_write', value)).toEqual({ arguments: value });
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
  ])('says what is wrong with a call of %s with %j', (key, value, fault) => {
    const result = check(key, value);
    expect('fault' in result && result.fault).toContain(fault);
    expect('fault' in result && result.fault.length <= 500).toBe(true);
  });
});
