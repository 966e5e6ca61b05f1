import { describe, expect, test } from '@jest/globals';
import { cutPassages, mergeRanks, scoreOf, selectiveWords, weightsOf } from './knowledge.ts';

const shown = (text: string) =>
  cutPassages(text).map(({ heading, start, end }) => ({ heading, text: text.slice(start, end).trim() }));
const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ');

describe('cutPassages', () => {
  test('begins one at each heading, and names the headings above it', () => {
    const [first, second] = [words(80, 'tea'), words(80, 'milk')];
    expect(shown(`# Kitchen\n\n## Drinks ##\n${first}\n\n## Cold\n\n${second}\n`)).toEqual([
      { heading: 'Kitchen > Drinks', text: `# Kitchen\n\n## Drinks ##\n${first}` },
      { heading: 'Kitchen > Cold', text: `## Cold\n\n${second}` },
    ]);
  });

  test('keeps short sections together', () => {
    expect(shown('# A\none\n# B\ntwo\n')).toEqual([{ heading: 'A', text: '# A\none\n# B\ntwo' }]);
  });

  test('keeps paragraphs whole while they fit', () => {
    const [a, b, c] = [words(100), words(100), words(100)];
    expect(shown(`${a}\n\n${b}\n\n${c}`).map(({ text }) => text)).toEqual([`${a}\n\n${b}`, c]);
  });

  test('cuts a long paragraph behind a sentence, and one without sentences behind a word', () => {
    const sentences = Array.from({ length: 100 }, (_, at) => `Sentence number ${at} is here.`).join(' ');
    for (const { text } of shown(sentences)) {
      expect(text.length).toBeLessThanOrEqual(1_600);
      expect(text.endsWith('.')).toBe(true);
    }
    for (const { text } of shown(words(1_000))) expect(text).toMatch(/^word( word)+$/);
  });

  test('takes no line of code for a heading', () => {
    const text = `# Title\n${words(60)}\n\n\`\`\`sh\n# not a heading\nls\n\`\`\`\n`;
    expect(shown(text).map(({ heading }) => heading)).toEqual(['Title']);
  });

  test.each([
    ['nothing but one run of letters', 'x'.repeat(10_000)],
    ['characters of two units', '𝒳'.repeat(5_000)],
    ['nothing but headings', '# a\n'.repeat(20_000)],
    ['tiny sections', '# a\nb\n'.repeat(20_000)],
    ['a fence that never ends', `\`\`\`\n${'# a\n\n'.repeat(10_000)}`],
    ['lines that end like those of another system', 'One.\r\n\r\nTwo.\r\n'.repeat(2_000)],
  ])('covers %s, in pieces of bounded size and number', (_name, text) => {
    const passages = cutPassages(text);
    let at = 0;
    for (const { start, end } of passages) {
      expect(text.slice(at, start).trim()).toBe('');
      expect(end - start).toBeLessThanOrEqual(1_600);
      expect(text.slice(start, end).isWellFormed()).toBe(true);
      at = end;
    }
    expect(text.slice(at).trim()).toBe('');
    expect(passages.length).toBeLessThanOrEqual(text.length / 100);
  });

  test('makes nothing of a text without words', () => {
    expect(cutPassages(' \n\n\t\n')).toEqual([]);
  });
});

test('a rare word weighs more than a common one', () => {
  const [common = 0, rare = 0] = weightsOf([900, 3], 1_000);
  expect(rare).toBeGreaterThan(10 * common);
  expect(scoreOf([1, 0], [common, rare])).toBeLessThan(scoreOf([0, 1], [common, rare]));
});

test('passages are searched by what distinguishes them, the rarest word first', () => {
  expect(selectiveWords([900, 40, 3], 1_000)).toEqual([2, 1]);
  expect(selectiveWords([900, 0, 800], 1_000)).toEqual([1, 2]);
  expect(selectiveWords([4, 5], 5)).toEqual([0, 1]);
  expect(selectiveWords([], 0)).toEqual([]);
});

const merge = (...lists: string[]) =>
  mergeRanks(
    lists.map((list) => list.split('')),
    (item) => item,
  );

test('what several searches found comes before what one has found first', () => {
  const merged = merge('abc', 'cd');
  expect(merged.map(({ item }) => item)).toEqual(['c', 'a', 'b', 'd']);
  expect(merged[0]).toEqual({ item: 'c', score: 1 / 63 + 1 / 61, lists: [0, 1] });
});

test('the order of one list stays, and equals come in the same order each time', () => {
  expect(merge('cab').map(({ item }) => item)).toEqual(['c', 'a', 'b']);
  expect(merge('ba', 'ab').map(({ item }) => item)).toEqual(['a', 'b']);
  expect(merge()).toEqual([]);
});
