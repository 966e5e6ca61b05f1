import { z } from 'zod';
import type { Price, PriceList } from '../../domain/prices/index.ts';
import { readJson } from '../read-content.ts';

const dollars = z.number().min(0).nullish();
const pricesSchema = z.object({
  models: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        input_price: dollars,
        output_price: dollars,
        cached_input_price: dollars,
        cache_write_price: dollars,
      }),
    ),
  ),
});

const byProvider = readJson('models.json', pricesSchema).models;

/** Returns the price of a model: the operator's, else the one that ships with the service; undefined when unknown. */
export function modelPrice(operatorPrices: PriceList, providerKey: string, modelName: string): Price | undefined {
  return operatorPrices.get(providerKey)?.get(modelName) ?? shippedPrice(providerKey, modelName);
}

function shippedPrice(providerKey: string, modelName: string): Price | undefined {
  const known = byProvider[providerKey]?.[modelName];
  return (
    known && {
      input: known.input_price ?? undefined,
      output: known.output_price ?? undefined,
      cachedInput: known.cached_input_price ?? undefined,
      cacheWrite: known.cache_write_price ?? undefined,
    }
  );
}
