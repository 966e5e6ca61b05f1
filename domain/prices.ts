import { z } from 'zod';
import { isObject } from './core/objects.ts';
import type { TokenUsage } from './turns.ts';

/** What a model costs, in US dollars: a million tokens each, unless it says otherwise. Undefined means unknown. */
export interface Price {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Input that is read from the provider's cache; as other input when unknown. */
  readonly cachedInput?: number | undefined;
  /** Input that is written to that cache; as other input when unknown. */
  readonly cacheWrite?: number | undefined;
  /** One generated image, instead of its tokens. */
  readonly image?: number | undefined;
  /** One minute of sound, instead of its tokens. */
  readonly minute?: number | undefined;
}

/** Returns the price of a model at a provider; undefined when it is unknown. */
export type FindPrice = (providerType: string, modelName: string) => Price | undefined;

/** Prices by provider type, then by model. */
export type PriceList = ReadonlyMap<string, ReadonlyMap<string, Price>>;

const MAX_MODELS = 5_000;

/** More than anything costs, in US dollars: a price above it was meant for other units. */
const MAX_PRICE = 100_000;

const dollars = z.number().min(0).max(MAX_PRICE).optional();

const priceSchema = z
  .strictObject({
    input: dollars,
    output: dollars,
    cached_input: dollars,
    cache_write: dollars,
    image: dollars,
    minute: dollars,
  })
  .refine((price) => Object.values(price).some((value) => value !== undefined), 'must name a price');

const models = z
  .record(z.string().min(1).max(300), priceSchema)
  .refine((listed) => Object.keys(listed).length <= MAX_MODELS, `must have at most ${MAX_MODELS} models`);

/**
 * Reads an operator's price file. Throws an error that names all faults: those of the form, and provider types that do
 * not exist.
 */
export function parsePriceList(text: string, providerTypes: readonly string[]): PriceList {
  const read = readJson(text);
  const result = z.record(z.string(), models).safeParse(read);
  const types = isObject(read) ? Object.keys(read) : [];
  const unknown = types.filter((type) => !providerTypes.includes(type));
  const faults = [
    ...unknown.map((type) => `${type}: is no provider type of the catalog`),
    ...(result.error?.issues ?? []).map(({ path, message }) => `${path.join(' ') || 'the file'}: ${message}`),
  ];
  if (!result.success || faults.length > 0) throw new Error(faults.join('; '));
  return new Map(Object.entries(result.data).map(([type, listed]) => [type, pricesOf(listed)]));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
}

function pricesOf(listed: z.output<typeof models>): ReadonlyMap<string, Price> {
  const prices = Object.entries(listed).map(
    ([name, { cached_input: cachedInput, cache_write: cacheWrite, ...price }]) =>
      [name, { ...price, cachedInput, cacheWrite }] as const,
  );
  return new Map(prices);
}

/** The usage of one call: tokens, and for some models further units. */
export interface BilledUsage extends Omit<TokenUsage, 'estimated'> {
  readonly images?: number;
  readonly seconds?: number;
}

const PER_MILLION = 1_000_000;

/** Digits after the point that are kept: a token may cost less than a ten-millionth of a dollar. */
const DIGITS = 12;

/** Returns what a call costs in US dollars; null when a price that it needs is unknown. */
export function costOf(usage: BilledUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  if (usage.images !== undefined && price.image !== undefined) return rounded(usage.images * price.image);
  if (usage.seconds !== undefined && price.minute !== undefined) return rounded((usage.seconds / 60) * price.minute);
  return costOfTokens(usage, price);
}

/** Returns a sum of costs; null when one of them is unknown. */
export function sumOfCosts(...costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length < costs.length ? null : rounded(known.reduce((sum, cost) => sum + cost, 0));
}

function costOfTokens(usage: BilledUsage, { input, output, cachedInput, cacheWrite }: Price): number | null {
  const { inputTokens, outputTokens, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  // Usage in other units has no tokens, but is not free.
  if (inputTokens + outputTokens === 0) return null;
  const fresh = Math.max(inputTokens - read - written, 0);
  const parts = [
    [fresh, input],
    [read, cachedInput ?? input],
    [written, cacheWrite ?? input],
    [outputTokens, output],
  ] as const;
  let cost = 0;
  for (const [tokens, price] of parts) {
    if (tokens === 0) continue;
    if (price === undefined) return null;
    cost += tokens * price;
  }
  return rounded(cost / PER_MILLION);
}

function rounded(dollars: number): number {
  return Number(dollars.toFixed(DIGITS));
}
