import { expect, test } from '@jest/globals';
import type { Tool } from './queries.ts';
import { byCategory } from './tool-fields.tsx';

const tool = (key: string, category: string, reason: string | null = null) =>
  ({ key, name: key, description: '', category, problem: null, reason }) as Tool;

test('tools that cannot be used come last, in their category and with it', () => {
  const tools = [
    tool('hubspot', 'Business', 'It needs an integration'),
    tool('web_search', 'Web', 'It needs an integration'),
    tool('web_scrape', 'Web'),
    tool('file_read', 'Files'),
  ];
  const keys = byCategory(tools, '').map(([category, members]) => [category, ...members.map(({ key }) => key)]);
  expect(keys).toEqual([
    ['Files', 'file_read'],
    ['Web', 'web_scrape', 'web_search'],
    ['Business', 'hubspot'],
  ]);
  expect(byCategory(tools, 'hub').map(([category]) => category)).toEqual(['Business']);
});
