import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { casesOf, inLength } from '../../../test/support/in-length.ts';
import { Random } from '../../../test/support/random.ts';
import { type Block, blocksOf, GrowingBlocks } from './blocks.ts';
import { HOSTILE } from '../../../test/support/hostile-texts.ts';

const PARTS = [
  '# Title\n',
  'words ',
  '**strong** ',
  '\n',
  '\n\n',
  '- item\n',
  '  - below\n',
  '1. first\n',
  '> quoted\n',
  '```js\n',
  '```\n',
  'let a = 1;\n',
  '    code\n',
  '| a | b |\n',
  '|---|---|\n',
  '| 1 | 2 |\n',
  '---\n',
  '===\n',
  '`code` ',
  '[link](https://e.com) ',
  '<div>\n',
  '</div>\n',
  '\\',
  '*',
  '_',
  '~~',
  '!',
  '&amp; ',
  '$',
  '$$',
  '$$\n',
  '\\(',
  '\\) ',
  '\\[\n',
  '\\]\n',
  'x^2',
  '  \n',
  '- [ ] task\n',
  'é',
  '🌍',
];
/** Random Markdown; blank lines keep its blocks as short as those of people. */
function randomText(random: Random): string {
  return Array.from({ length: 1 + random.below(60) }, () => PARTS[random.below(PARTS.length)]).join('');
}
const shapeOf = (blocks: readonly Block[]) => JSON.stringify(blocks);
const wordsOf = (text: string) => text.replaceAll(/\s/g, '');
const textOf = (blocks: readonly Block[]) => blocks.map(({ raw }) => raw).join('');

describe('the blocks of a text', () => {
  test('hold all of it but some white space', () => {
    const random = new Random(1);
    for (let round = 0; round < 300; round += 1) {
      const text = randomText(random);
      expect(wordsOf(textOf(blocksOf(text)))).toBe(wordsOf(text));
    }
  });

  test('are the same when it comes in pieces', () => {
    const random = new Random(2);
    const differing: string[] = [];
    for (let round = 0; round < inLength(300, 1_500); round += 1) {
      const text = randomText(random);
      const growing = new GrowingBlocks(() => 0);
      for (let end = 0; end < text.length; end += 1 + random.below(12)) growing.update(text.slice(0, end));
      if (shapeOf(growing.update(text)) !== shapeOf(blocksOf(text))) differing.push(text);
    }
    expect(differing).toEqual([]);
  });

  test('are the same values as long as they do not change', () => {
    const growing = new GrowingBlocks();
    const before = growing.update('one\n\ntwo\n\nthree\n\nfour\n\nfi');
    const after = growing.update('one\n\ntwo\n\nthree\n\nfour\n\nfive');
    expect(after.slice(0, -1).every((block, index) => block === before[index])).toBe(true);
    expect(after.at(-1)?.raw).toBe('five');
  });

  test('begin anew with another text', () => {
    const growing = new GrowingBlocks();
    growing.update('one\n\ntwo\n\nthree\n\nfour\n\nfive');
    expect(shapeOf(growing.update('other'))).toBe(shapeOf(blocksOf('other')));
  });

  test('know links that were defined in a block before', () => {
    const growing = new GrowingBlocks();
    const text = '[r]: https://e.com\n\none\n\ntwo\n\nthree\n\nfour\n\n[r]';
    for (let end = 1; end < text.length; end += 3) growing.update(text.slice(0, end));
    expect(growing.update(text).at(-1)).toMatchObject({ tokens: [{ type: 'link', href: 'https://e.com' }] });
  });

  test('are plain from where reading them takes too long', () => {
    let time = 0;
    const growing = new GrowingBlocks(() => (time += 200));
    growing.update('**a**\n\n');
    growing.update('**a**\n\n**b**\n\n');
    growing.update('**a**\n\n**b**\n\n**c**\n\n');
    expect(growing.update('**a**\n\n**b**\n\n**c**\n\n**d**').at(-1)).toEqual({ type: 'plain', raw: '**d**' });
  });

  test('go on with a long list or paragraph as another one, and hold long code in one', () => {
    const typesIn = (text: string) => new GrowingBlocks(() => 0).update(text).map(({ type }) => type);
    expect(typesIn('- item with some words\n'.repeat(1_000))).toEqual(['list', 'list', 'list']);
    expect(typesIn(`\`\`\`js\n${'let a = 1;\n\n'.repeat(5_000)}\`\`\`\n`)).toEqual(['code']);
  });

  test.each(casesOf(['a\n\n', '*a* ', '- a\n', '|a\n|-\n|b\n\n'], 2))(
    'are few, and found soon, in a million characters of %j',
    (part) => {
      const text = part.repeat(1_000_000 / part.length);
      let blocks: readonly Block[] = [];
      expect(cpuTimeOf(() => (blocks = blocksOf(text)))).toBeLessThan(3_000);
      expect([blocks.length < 20_000, blocks.at(-1)?.type]).toEqual([true, 'plain']);
      expect(wordsOf(textOf(blocks))).toBe(wordsOf(text));
    },
  );

  test('cost the same for each piece however many there are', () => {
    const growing = new GrowingBlocks();
    const long = 'a\n\n'.repeat(20_000);
    growing.update(long);
    const ms = cpuTimeOf(() => {
      for (let count = 1; count <= 1_000; count += 1) growing.update(long + 'b\n\n'.repeat(count));
    });
    expect(ms).toBeLessThan(3_000);
  });

  test.each(HOSTILE)('are found soon in %s', (_name, text) => {
    const ms = cpuTimeOf(() => {
      expect(wordsOf(textOf(blocksOf(text)))).toBe(wordsOf(text));
      expect(wordsOf(textOf(new GrowingBlocks().update(text)))).toBe(wordsOf(text));
    });
    expect(ms).toBeLessThan(4_000);
  });

  // The slowest of 20,000 characters would take longer than that if ten times as many took a hundred times as long.
  test('of a hostile text of 200,000 characters are not found in quadratic time', () => {
    for (const [, text] of casesOf(HOSTILE, 8)) expect(cpuTimeOf(() => blocksOf(text.repeat(10)))).toBeLessThan(30_000);
  });
});
