import { expect, test } from '@jest/globals';
import { excerptOf } from './excerpt.ts';
import { parseSearchQuery } from './search-query.ts';

const excerpt = (text: string, query: string) => excerptOf(text, parseSearchQuery(query));

test('marks what was found, the beginning of a word as the whole word', () => {
  expect(excerpt('The Report says that sales rose.', 'report sal')).toBe(
    'The <mark>Report</mark> says that <mark>sales</mark> rose.',
  );
});

test('is safe as HTML, whatever the message holds', () => {
  const text = '<script>alert("report")</script> & <mark>report</mark> \'report\'';
  expect(excerpt(text, 'report')).toBe(
    '&lt;script&gt;alert(&quot;<mark>report</mark>&quot;)&lt;/script&gt; &amp; &lt;mark&gt;<mark>report</mark>&lt;/mark&gt; &#39;<mark>report</mark>&#39;',
  );
});

test('is the part of a long text in which most of what was searched for is found', () => {
  const filler = 'nothing of that kind here '.repeat(40);
  const text = `report ${filler}the sales report of May ${filler}`;
  const found = excerpt(text, 'sales report');
  expect(found).toMatch(/^….*the <mark>sales<\/mark> <mark>report<\/mark> of May.*…$/);
  expect(found.length).toBeLessThan(330);
});

test('marks a run without blanks once', () => {
  expect(excerpt('これは日本語の文です', '日本語')).toBe('これは<mark>日本語</mark>の文です');
});

test('is the beginning where nothing is found, without line ends', () => {
  expect(excerpt('One\n\ttwo\u2028three', 'four')).toBe('One two three');
});

test('breaks no character, and takes little time over the worst text', () => {
  expect(excerpt('😀'.repeat(20_000), 'x').isWellFormed()).toBe(true);
  expect(excerpt('a '.repeat(100_000), 'a').length).toBeLessThan(3_000);
});
