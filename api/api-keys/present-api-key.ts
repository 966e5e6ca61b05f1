import type { z } from 'zod';
import type { ShownApiKey } from '../../db/api-keys/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { apiKeySchema } from './schema.ts';

/** Returns a key as its user sees it, without its value. */
export function presentApiKey(key: ShownApiKey): z.input<typeof apiKeySchema> {
  return present(apiKeySchema, key, { madeBy: key.madeBy ?? 'unknown' });
}
