import { expect, test } from '@jest/globals';
import { cosines, nameOfEmbeddingModel, packVector, parseEmbeddingModel, unitVector } from './embeddings.ts';

/** A vector whose values are anywhere between -1 and 1, always the same ones. */
const vectorOf = (seed: number, dimensions: number) =>
  Array.from({ length: dimensions }, (_, at) => Math.sin(seed * 7_919 + at * at * 31 + at));

const cosineOf = (a: readonly number[], b: readonly number[]) => {
  const product = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return product / (Math.hypot(...a) * Math.hypot(...b));
};

test.each([1, 3, 384, 1_536, 3_072])('a packed vector of %i dimensions keeps its direction', (dimensions) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const [a, b] = [vectorOf(seed, dimensions), vectorOf(seed + 100, dimensions)];
    const { bytes, length } = packVector(a);
    expect(bytes).toHaveLength(dimensions);
    expect(cosines(unitVector(a), bytes, [length])[0]).toBeGreaterThan(0.9995);
    expect(Math.abs((cosines(unitVector(b), bytes, [length])[0] ?? 0) - cosineOf(a, b))).toBeLessThan(0.004);
  }
});

test('packed vectors are compared one after the other', () => {
  const vectors = [
    [1, 0],
    [0, 3],
    [-2, 0],
  ].map(packVector);
  const packed = Int8Array.from(vectors.flatMap(({ bytes }) => [...bytes]));
  const lengths = vectors.map(({ length }) => length);
  expect(cosines(unitVector([5, 0]), packed, lengths)).toEqual([1, 0, -1]);
});

test('a very small and a very large vector are packed alike', () => {
  const [small, large] = [packVector([1e-30, -2e-30]), packVector([1e30, -2e30])];
  expect([...small.bytes]).toEqual([...large.bytes]);
});

test('the name of a model begins with the type of its provider', () => {
  const model = { providerType: 'openrouter', modelName: 'openai/text-embedding-3-small' };
  expect(parseEmbeddingModel('openrouter/openai/text-embedding-3-small')).toEqual(model);
  expect(nameOfEmbeddingModel(model)).toBe('openrouter/openai/text-embedding-3-small');
  expect(['auto', '/x', 'openai/', ''].map(parseEmbeddingModel)).toEqual([undefined, undefined, undefined, undefined]);
});
