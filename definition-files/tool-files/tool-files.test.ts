import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../test/support/cpu-time.ts';
import { builtinTools } from '../../builtin/index.ts';
import { checkDefinitionFile } from '../check-files.ts';
import { expressionIssue } from './tool-file.ts';

const REQUEST = { method: 'GET', url: 'https://example.com/{{ a }}' };
const parameters = { type: 'object' };

const write = (path: string, content: unknown) => () =>
  checkDefinitionFile('tool', path, typeof content === 'string' ? content : JSON.stringify(content));

describe('a tool.json', () => {
  test.each<[object]>([
    [{}],
    [{ parameters }],
    [{ effect: 'agent', timeout_s: 3_600 }],
    [{ runtime: 'http', effect: 'keyed', timeout_s: 120, x_own: 1 }],
    ...builtinTools.map((tool): [object] => [tool]),
  ])('may be written: %j', (content) => {
    expect(write('tool.json', content)).not.toThrow();
  });

  test.each([
    [{ runtime: 'python' }, 'runtime: must be one of: http, javascript, shell'],
    [{ runtime: 'http', effect: 'agent' }, 'effect: must be one of: read, keyed, once'],
    [{ runtime: 'javascript', timeout_s: 121 }, 'timeout_s: must be at most 120'],
    [{ runtime: null }, 'runtime: must be one of'],
    [{ timeout_s: 3_601 }, 'timeout_s: must be at most 3,600'],
    [{ parameters: [] }, 'parameters: must be an object'],
    [{ description: 1 }, 'description: must be a text'],
  ])('is refused when it is written, in the words that would keep it from being used: %j', (content, words) => {
    expect(write('tool.json', content)).toThrow(words);
  });
});

describe('an http.json', () => {
  test.each([
    [REQUEST],
    [{ ...REQUEST, result: 'body.items[id = 2].name & " " & $string(status)' }],
    [{ ...REQUEST, headers: { Authorization: 'Bearer {{ secret.token }}' } }],
  ])('may be written, whichever arguments there are: %j', (content) => {
    expect(write('http.json', content)).not.toThrow();
  });

  test.each([
    ['', 'it is not JSON'],
    ['[]', 'it must be a JSON object'],
    [{ method: 'GET' }, 'url: Field required'],
    [{ ...REQUEST, method: 'FETCH' }, 'method: must be one of: GET'],
    [{ ...REQUEST, url: 'https://{{ a }}/' }, 'url: it must begin with'],
    [{ ...REQUEST, cookies: {} }, 'has fields that do not exist: cookies'],
    [{ ...REQUEST, query: { a: '{{ a' } }, 'query.a: a placeholder is not written as'],
    [{ ...REQUEST, result: 'body.(' }, 'result: it is not JSONata'],
    [{ ...REQUEST, result: '"a' }, '(at character 2)'],
    [{ ...REQUEST, result: '('.repeat(10_000) }, 'result: it'],
    [{ ...REQUEST, result: 'a'.repeat(10_001) }, 'result: must have at most 10,000 characters'],
  ])('is refused when it is written: %j', (content, words) => {
    expect(write('http.json', content)).toThrow(words);
  });
});

describe('an expression', () => {
  const LENGTH = 10_000;
  const filled = (part: string) => part.repeat(Math.floor(LENGTH / part.length));

  test.each([
    ['nested groups', '('.repeat(LENGTH / 2) + ')'.repeat(LENGTH / 2)],
    ['nested lists', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
    ['nested functions', filled('function($a){')],
    ['conditions', `${filled('a?b:')}c`],
    ['steps', `${filled('a.')}a`],
    ['parents', `${filled('a.%.')}a`],
    ['many parents', `a${filled('.%')}`],
    ['bound places', `${filled('a#$i@$j.')}a`],
    ['operators', `${filled('1+')}1`],
    ['signs', `${filled('-')}1`],
    ['comments', filled('/**/')],
    ['an open comment', `/*${'*'.repeat(LENGTH - 2)}`],
    ['an open text', `"${filled('\\"')}`],
    ['a pattern', `/${filled('(a*)*')}/`],
    ['an open pattern', `/${filled('(')}`],
    ['a counted pattern', `/${filled('(?:a{1000}){1000}')}/`],
    ['orders', `a^(${filled('<a,')}a)`],
    ['signatures', `function($a)<${filled('a<')}`],
    ['a choice', `λ($a)<(${filled('s')})>{1}`],
    ['transforms', filled('|a|b|~>')],
  ])('is read in little time: %s', (_name, expression) => {
    expressionIssue('1');
    expect(cpuTimeOf(() => expressionIssue(expression.slice(0, LENGTH)))).toBeLessThan(3_000);
  });
});
