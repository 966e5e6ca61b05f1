import { z } from 'zod';
import { isObject } from '../core/objects/is-object.ts';
import type { Price } from './price.ts';

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
