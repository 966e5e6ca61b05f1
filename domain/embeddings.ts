/** The choice of a knowledge base that takes the first model that the organization's accounts offer. */
export const AUTO = 'auto';

/** The choice of a knowledge base that is searched by words alone. */
export const OFF = 'off';

/** A model that turns texts into vectors, and the type of the provider that serves it. */
export interface EmbeddingModel {
  readonly providerType: string;
  readonly modelName: string;
}

/** Returns the model that a name such as `openai/text-embedding-3-small` names; undefined for anything else. */
export function parseEmbeddingModel(name: string): EmbeddingModel | undefined {
  const slash = name.indexOf('/');
  const [providerType, modelName] = [name.slice(0, slash), name.slice(slash + 1)];
  return slash > 0 && modelName !== '' ? { providerType, modelName } : undefined;
}

/** Returns the name of a model, by which it is chosen and shown. */
export function nameOfEmbeddingModel({ providerType, modelName }: EmbeddingModel): string {
  return `${providerType}/${modelName}`;
}

/** The dimensions that a vector may have: more than any known model gives. */
export const MAX_DIMENSIONS = 4_096;

/** A vector with one signed byte for each dimension. Its direction is kept to about a thousandth. */
export interface PackedVector {
  readonly bytes: Int8Array;
  /** The length of the vector that the bytes are. */
  readonly length: number;
}

/** Packs a vector, which must be longer than nothing. */
export function packVector(vector: readonly number[]): PackedVector {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const packed = Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
  const squares = packed.reduce((sum, value) => sum + value * value, 0);
  return { bytes: packed, length: Math.sqrt(squares) };
}

/** Returns the vector of the same direction whose length is 1. */
export function unitVector(vector: readonly number[]): Float64Array {
  const length = Math.hypot(...vector);
  return Float64Array.from(vector, (value) => value / length);
}

/**
 * Returns the cosines of the angles between a unit vector and packed, consecutive vectors of the same dimensions, each
 * of its length: 1 for the same direction.
 */
export function cosines(unit: Float64Array, packed: Int8Array, lengths: readonly number[]): number[] {
  return lengths.map((length, row) => {
    const from = row * unit.length;
    let sum = 0;
    // By index: an iterator takes six times as long, and this is most of the time of a search.
    for (let at = 0; at < unit.length; at += 1) sum += (unit[at] ?? 0) * (packed[from + at] ?? 0);
    return sum / length;
  });
}
