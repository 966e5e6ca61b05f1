import { isStatementTimeout } from '../../../db/core/index.ts';
import { refusalOf } from '../call/known-failure.ts';
import { ToolFailure } from '../tool-failure.ts';

/**
 * Runs an operation on records, and throws a refusal as a failure of the tool, in words for the model. Outages stay
 * what they are: whoever runs the call knows whether it may have had an effect.
 */
export async function inToolTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** Runs a search for words that only reads, and throws that it took too long with what the model can do about it. */
export async function searchInToolTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await inToolTerms(work);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ToolFailure('timeout', 'The search took too long; use fewer words', { cause: error });
  }
}
