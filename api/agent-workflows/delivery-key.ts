import { AppError } from '../../domain/core/app-error.ts';
import { isStorableText } from '../../domain/core/text.ts';

const MAX_LENGTH = 255;

/**
 * Returns what the sender of a request calls it, from the first of some headers that is there; `undefined` when none
 * is. The same key again starts no second run.
 */
export function deliveryKeyOf(
  header: (name: string) => string | undefined,
  names: readonly ('idempotency-key' | 'x-delivery-id' | 'x-github-delivery')[],
): string | undefined {
  for (const name of names) {
    const key = header(name)?.trim();
    if (key === undefined || key === '') continue;
    if (key.length > MAX_LENGTH)
      throw new AppError('unprocessable', `The header ${name} must not exceed ${MAX_LENGTH} characters`);
    if (!isStorableText(key))
      throw new AppError('unprocessable', `The header ${name} must not contain NUL or unpaired surrogates`);
    return key;
  }
  return undefined;
}
