import { MAX_DIMENSIONS } from '../../../domain/embeddings/index.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';

/**
 * Returns what a provider answers as vectors: one for each text, all of as many dimensions, each of them finite and
 * longer than nothing. Throws `ProviderFailure` for anything else.
 */
export function readVectors(answered: readonly unknown[], texts: number): readonly (readonly number[])[] {
  if (answered.length !== texts) throw broken(`answered ${answered.length} embeddings for ${texts} texts`);
  const vectors = answered.map(readVector);
  const dimensions = new Set(vectors.map(({ length }) => length));
  if (dimensions.size > 1)
    throw broken(`answered embeddings of different dimensions (${[...dimensions].slice(0, 5).join(', ')})`);
  return vectors;
}

function readVector(answered: unknown): readonly number[] {
  if (!Array.isArray(answered) || !answered.every((value) => typeof value === 'number' && Number.isFinite(value)))
    throw broken('answered an embedding that is no list of numbers');
  const vector: readonly number[] = answered;
  if (vector.length === 0 || vector.length > MAX_DIMENSIONS)
    throw broken(`answered an embedding of ${vector.length} dimensions; 1 to ${MAX_DIMENSIONS} can be stored`);
  const length = Math.hypot(...vector);
  if (!(length > 0) || !Number.isFinite(length)) throw broken('answered an embedding without a direction');
  return vector;
}

function broken(what: string): ProviderFailure {
  return new ProviderFailure(`${what}. Check the model and the account's base_url`, { kind: 'outage' });
}
