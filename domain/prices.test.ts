import { describe, expect, test } from '@jest/globals';
import { costOf, parsePriceList, sumOfCosts } from './prices.ts';

describe('costOf', () => {
  const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };

  test('sums what each kind of token costs', () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 600, cacheWriteTokens: 300, outputTokens: 200 };
    expect(costOf(usage, price)).toBe((100 * 3 + 600 * 0.3 + 300 * 3.75 + 200 * 15) / 1_000_000);
  });

  test('takes cached input for other input where its price is unknown', () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 0 };
    expect(costOf(usage, { input: 3, output: 15 })).toBe(0.003);
  });

  test('keeps the cost of a single token', () => {
    expect(costOf({ inputTokens: 1, outputTokens: 0 }, { input: 0.0375, output: 1 })).toBe(3.75e-8);
  });

  test('is nothing for a model that is known to be free', () => {
    expect(costOf({ inputTokens: 5, outputTokens: 5 }, { input: 0, output: 0 })).toBe(0);
  });

  test('is unknown, not nothing, where a price that is needed is unknown', () => {
    const usage = { inputTokens: 5, outputTokens: 5 };
    expect([costOf(usage, undefined), costOf(usage, {}), costOf(usage, { input: 1 })]).toEqual([null, null, null]);
    expect(costOf({ inputTokens: 5, outputTokens: 0 }, { input: 1 })).toBe(0.000005);
  });

  test('counts images and minutes where they have a price, and their tokens otherwise', () => {
    const tokens = { inputTokens: 1_000_000, outputTokens: 0 };
    expect(costOf({ ...tokens, images: 2 }, { image: 0.04, input: 5 })).toBe(0.08);
    expect(costOf({ ...tokens, images: 2 }, { input: 5 })).toBe(5);
    expect(costOf({ inputTokens: 0, outputTokens: 0, seconds: 90 }, { minute: 0.006 })).toBe(0.009);
    expect(costOf({ inputTokens: 0, outputTokens: 0, seconds: 90 }, { input: 5, output: 5 })).toBeNull();
  });
});

test('a sum of costs is unknown when one of them is', () => {
  expect([sumOfCosts(0.1, 0.2), sumOfCosts(0.1, null), sumOfCosts()]).toEqual([0.3, null, 0]);
});

describe('parsePriceList', () => {
  const parse = (text: string) => parsePriceList(text, ['openai', 'ollama']);

  test('reads prices by provider type and model', () => {
    const list = parse('{"openai":{"gpt-9":{"input":1,"output":2,"cached_input":0.1}},"ollama":{"m":{"input":0}}}');
    expect(list.get('openai')?.get('gpt-9')).toMatchObject({ input: 1, output: 2, cachedInput: 0.1 });
    expect(list.get('ollama')?.get('m')).toMatchObject({ input: 0 });
    expect(list.get('openai')?.get('constructor')).toBeUndefined();
  });

  test('names all faults at once', () => {
    const faulty = {
      opnai: { m: { input: 1 } },
      openai: { a: { input: -1 }, b: { inptu: 1 }, c: {}, d: { output: '3' }, e: { input: 1e9 } },
    };
    const read = () => parse(JSON.stringify(faulty));
    for (const words of ['opnai: is no provider type', 'openai a input', 'openai b', 'openai c: must name a price'])
      expect(read).toThrow(words);
    for (const words of ['openai d output', 'openai e input']) expect(read).toThrow(words);
  });

  test.each(['', '{', '[]', '1', '{"openai":[]}', '{"openai":{"m":3}}'])('rejects %j', (text) => {
    expect(() => parse(text)).toThrow();
  });
});
