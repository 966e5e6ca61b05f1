import { describe, expect, test } from '@jest/globals';
import { parseMarketplaceIndexes } from './marketplace.ts';

describe('parseMarketplaceIndexes', () => {
  test('reads addresses in their order, and keeps credentials and queries out of what is shown', () => {
    const list = 'https://reader:p%40ss@items.example.com/index.json?key=hidden#top, http://localhost:8080/own.json';
    expect(parseMarketplaceIndexes(list)).toEqual([
      {
        source: 'https://items.example.com/index.json',
        url: 'https://items.example.com/index.json?key=hidden',
        credentials: { user: 'reader', password: 'p@ss' },
      },
      { source: 'http://localhost:8080/own.json', url: 'http://localhost:8080/own.json', credentials: undefined },
    ]);
    expect(parseMarketplaceIndexes('')).toEqual([]);
  });

  test.each([
    ['nonsense', 'address 1 is not a valid URL'],
    ['https://a.example.com/i.json,file:///etc/passwd', 'address 2 must begin with https:// or http://'],
    ['https://a.example.com/i.json?a,https://b@a.example.com/i.json', 'names an index twice'],
    ['https://a:%zz@b.example.com', 'has credentials in which %'],
    [Array.from({ length: 11 }, (_, at) => `https://${at}.example.com/`).join(','), 'more than 10 indexes'],
  ])('refuses %s', (list, words) => {
    expect(() => parseMarketplaceIndexes(list)).toThrow(words);
  });

  test('repeats no credentials in what it refuses', () => {
    expect(() => parseMarketplaceIndexes('https://user:hunter2@exa mple.com/')).toThrow(/^(?!.*hunter2)/);
  });
});
