import { expect, test } from '@jest/globals';
import { providerCatalog } from '../../builtin/index.ts';
import { providerOfKey } from './new-account-form.tsx';

test.each([
  ['sk-ant-api03-x', 'anthropic'],
  ['sk-proj-x', 'openai'],
  ['sk-abcT3BlbkFJdef', 'openai'],
  ['sk-or-v1-x', 'openrouter'],
  ['AIzaSyx', 'google'],
  ['gsk_x', 'groq'],
  ['tgp_v1_x', 'togetherai'],
])('%s is a key of %s', (key, provider) => {
  expect(providerOfKey(key)).toBe(provider);
  expect(providerCatalog.map((entry) => entry.key)).toContain(provider);
});

test.each(['', 'sk-0123', 'a key'])('%j is a key of any provider', (key) => {
  expect(providerOfKey(key)).toBeUndefined();
});
