import { knownFailureOf } from '../call/known-failure.ts';

/** Runs an operation on records, and throws what it cannot do as a failure of the tool, in words for the model. */
export async function inToolTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw knownFailureOf(error) ?? error;
  }
}
