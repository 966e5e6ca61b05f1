import { expect, test } from '@jest/globals';
import { Problem } from '../../core/http/problem.ts';
import { faultsOf, languageOf, saidIn } from './file-editor.tsx';

const TOOL = '{\n  "effect": "sometimes",\n  "parameters": {\n    "type": "object"\n  }\n}';

const notJson = (line: number) => `Line ${line} is not JSON`;

test('what is no JSON is marked while it is typed', () => {
  expect(faultsOf({ path: 'tool.json', content: '{\n  "a": 1,\n  nonsense\n}' }, notJson)).toEqual([
    { line: 3, message: expect.stringContaining('Line 3') },
  ]);
});

test.each([
  ['a line', 'main.js', 'a\nb', 'cannot be read as JavaScript: Unexpected token (line 2, column 1)', 2],
  ['a field', 'tool.json', TOOL, 'effect: Invalid option', 2],
  ['a field within another', 'tool.json', TOOL, 'parameters.type: must be "object"', 4],
  ['a field that is missing', 'tool.json', TOOL, 'runtime: Field required', 1],
  ['nothing', 'SKILL.md', 'text', 'must begin with front matter', 1],
])('what the server says is marked where it names %s', (_what, path, content, said, line) => {
  expect(faultsOf({ path, content, said }, notJson)).toEqual([{ line, message: said }]);
});

test('why a tool is not usable is marked in the file that it names, and in no other', () => {
  const problem = 'http.json: url: Field required';
  const content = '{\n  "url": ""\n}';
  expect(faultsOf({ path: 'http.json', content, problem }, notJson)).toEqual([
    { line: 2, message: 'url: Field required' },
  ]);
  expect(faultsOf({ path: 'tool.json', content, problem }, notJson)).toEqual([]);
});

test('a refusal is read at the content', () => {
  expect(saidIn(new Problem(422, 'x', { fields: { 'content.tool.json': 'effect: odd' } }))).toBe('effect: odd');
  expect(saidIn(new Problem(422, 'path: odd', { fields: { path: 'odd' } }))).toBe('path: odd');
});

test('the language of a file goes by its ending', () => {
  expect(['a/SKILL.md', 'tool.JSON', 'main.js', 'main.sh', 'LICENSE'].map(languageOf)).toEqual([
    'markdown',
    'json',
    'javascript',
    'plain',
    'plain',
  ]);
});
