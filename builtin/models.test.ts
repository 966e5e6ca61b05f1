import { describe, expect, test } from '@jest/globals';
import { supportsTemperature } from './index.ts';

describe('supportsTemperature', () => {
  test.each([
    ['claude-opus-5-5', 'anthropic', false],
    ['claude-haiku-4-5', 'anthropic', true],
    ['gpt-6.1-terra', 'openai', undefined],
    ['claude-opus-5-5', 'openai-compatible', false],
    ['no-such-model', 'openai', undefined],
    ['constructor', 'constructor', undefined],
  ])('of %s at %s is %p', (model, provider, expected) => {
    expect(supportsTemperature(model, provider)).toBe(expected);
  });
});
