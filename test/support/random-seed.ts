/**
 * Returns the seed of random inputs, which a setting may name. Every run of the same code has the same one, so that it
 * fails for a reason; where `isRandom`, each run has another.
 */
export function seedOf(setting: string, { isRandom }: { readonly isRandom: boolean }): number {
  const given = process.env[setting];
  if (given !== undefined) return Number(given);
  return isRandom ? (Date.now() ^ (Math.random() * 2 ** 31)) | 0 : 1;
}
