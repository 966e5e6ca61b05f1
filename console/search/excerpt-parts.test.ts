import { expect, test } from '@jest/globals';
import { excerptParts } from './search-page.tsx';

test('found words are told apart from the text around them', () => {
  expect(excerptParts('the <mark>quarterly</mark> report, <mark>Q3</mark>')).toEqual([
    { text: 'the ', isFound: false },
    { text: 'quarterly', isFound: true },
    { text: ' report, ', isFound: false },
    { text: 'Q3', isFound: true },
  ]);
});

test('escaped text is text again, also where it looks like a mark', () => {
  expect(excerptParts('<mark>a</mark> &lt;mark&gt;b&lt;/mark&gt; &amp; c')).toEqual([
    { text: 'a', isFound: true },
    { text: ' <mark>b</mark> & c', isFound: false },
  ]);
});
