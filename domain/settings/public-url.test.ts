import { describe, expect, test } from '@jest/globals';
import { publicUrl } from './public-url.ts';

describe('publicUrl', () => {
  test.each([
    [{ PUBLIC_URL: undefined, HOST: '127.0.0.1', PORT: 3000 }, 'http://127.0.0.1:3000'],
    [{ PUBLIC_URL: undefined, HOST: '0.0.0.0', PORT: 80 }, 'http://localhost'],
    [{ PUBLIC_URL: undefined, HOST: '::1', PORT: 3000 }, 'http://[::1]:3000'],
    [{ PUBLIC_URL: 'https://ai.example.com/', HOST: '0.0.0.0', PORT: 3000 }, 'https://ai.example.com'],
    [{ PUBLIC_URL: 'https://example.com/ai/?a#b', HOST: '0.0.0.0', PORT: 3000 }, 'https://example.com/ai'],
  ])('reads %j as %s', (settings, expected) => {
    expect(publicUrl(settings)).toBe(expected);
  });
});
