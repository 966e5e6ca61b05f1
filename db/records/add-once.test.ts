import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../domain/core/app-error.ts';
import { addOnce } from './records.ts';

/** Finds what is given, one each time. */
function findOf(...results: readonly (string | undefined | Error)[]) {
  const left = [...results];
  return async () => {
    const result = left.shift();
    if (result instanceof Error) throw result;
    return result;
  };
}

const failing = (error: Error) => async (): Promise<string> => {
  throw error;
};

describe('addOnce', () => {
  test('returns what was stored at the same time when that is in its way', async () => {
    const taken = new AppError('conflict', 'taken');
    expect(await addOnce(findOf(undefined, 'stored'), failing(taken))).toBe('stored');
    await expect(addOnce(findOf(undefined, undefined), failing(taken))).rejects.toBe(taken);
  });

  test('keeps its error when the record cannot be looked for', async () => {
    const taken = new AppError('conflict', 'taken');
    await expect(addOnce(findOf(undefined, new Error('away')), failing(taken))).rejects.toBe(taken);
  });

  test('looks for nothing after another error', async () => {
    const refused = new AppError('forbidden', 'refused');
    await expect(addOnce(findOf(undefined, 'stored'), failing(refused))).rejects.toBe(refused);
  });
});
