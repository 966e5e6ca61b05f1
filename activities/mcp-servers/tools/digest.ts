import { createHash } from 'node:crypto';
import { inKeyOrder } from '../../../domain/core/objects/in-key-order.ts';

/** Returns the digest of a JSON value, whatever the order of the names in its objects. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(value)))
    .digest('hex')
    .slice(0, 32);
}
