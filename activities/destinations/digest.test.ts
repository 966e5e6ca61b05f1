import { expect, test } from '@jest/globals';
import { type CollectedReport, digestOf } from './digest.ts';
import { NO_FILES } from './report.ts';

const PAGE = 'https://everturn.example.com/o/1/destinations/2';

const report = (key: string, fields: Partial<CollectedReport> = {}): CollectedReport => ({
  key,
  subject: key,
  body: `The body of ${key}.`,
  link: null,
  page: `https://everturn.example.com/${key}`,
  ...NO_FILES,
  ...fields,
});

test('a digest leads to a page with all of its reports, since a service may show the first ones only', () => {
  const digest = digestOf([report('a'), report('b', { link: 'https://everturn.example.com/b' })], PAGE);
  expect(digest).toMatchObject({
    subject: '2 reports: a, b',
    body:
      '## a\n\nThe body of a.\n\n---\n\n' +
      '## b\n\nThe body of b.\n\n[Open in Everturn](https://everturn.example.com/b)',
    link: PAGE,
  });
});

test('a section of a digest that is longer than its share says how much is missing, and where it is', () => {
  const { body } = digestOf([report('a', { body: 'x'.repeat(60_000) }), report('b')], PAGE);
  expect(body).toContain(`${'x'.repeat(55_000)}\n\n[… 5000 more characters: https://everturn.example.com/a]`);
});
