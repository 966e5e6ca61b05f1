import type { Price, PriceList } from '../../domain/prices/index.ts';
import { modelEntries } from './model-entries.ts';

/** Returns the price of a model: the operator's, else the one that ships with the service; undefined when unknown. */
export function modelPrice(operatorPrices: PriceList, providerKey: string, modelName: string): Price | undefined {
  return operatorPrices.get(providerKey)?.get(modelName) ?? shippedPrice(providerKey, modelName);
}

function shippedPrice(providerKey: string, modelName: string): Price | undefined {
  const known = modelEntries(providerKey).get(modelName);
  return (
    known && {
      input: known.input_price ?? undefined,
      output: known.output_price ?? undefined,
      cachedInput: known.cached_input_price,
      cacheWrite: known.cache_write_price,
    }
  );
}
