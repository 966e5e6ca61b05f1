import { describe, expect, test } from '@jest/globals';
import { type CodePart, loadParser, partsOf } from './highlight.ts';

async function kindsIn(code: string, language: string): Promise<Record<string, string>> {
  const parser = await loadParser(language);
  if (parser === undefined) throw new Error('no parser');
  const entry = ({ from, to, kind }: CodePart) => [code.slice(from, to), kind] as const;
  return Object.fromEntries(partsOf(code, parser).map(entry));
}

describe('the colours of code', () => {
  test.each([
    ['ts', "const a: Map = 'b'; // c", { const: 'keyword', "'b'": 'string', '// c': 'comment', Map: 'type' }],
    ['py', 'def f():\n  return 12  # c', { def: 'keyword', f: 'function', '12': 'number', '# c': 'comment' }],
    ['json', '{"a": true}', { '"a"': 'property', true: 'keyword' }],
    ['rust', 'fn main() {}', { fn: 'keyword' }],
    ['go', 'package main', { package: 'keyword' }],
    ['java', 'class A {}', { class: 'keyword' }],
    ['c++', 'return 1;', { return: 'keyword', '1': 'number' }],
    ['css', 'a { color: #fff }', { a: 'type', color: 'property' }],
    ['html', '<p id="x">', { p: 'type', id: 'property' }],
    ['yaml', 'a: 1 # c', { a: 'property', '# c': 'comment' }],
    ['xml', '<a b="c"/>', { a: 'type', b: 'property' }],
    ['php', '<?php echo 1;', { '1': 'number' }],
  ])('of %s are those of its parts', async (language, code, kinds) => {
    expect(await kindsIn(code, language)).toMatchObject(kinds);
  });

  test('are none for a language that is not known, and for very long code', async () => {
    expect(await loadParser('brainfuck')).toBeUndefined();
    const parser = await loadParser('js');
    expect(parser && partsOf('let a;'.repeat(10_000), parser)).toEqual([]);
  });
});
