import type { z } from 'zod';
import type { ShownApiKey } from '../../db/api-keys/index.ts';
import type { apiKeySchema } from './schema.ts';

/** A key as its user sees it, without its value. */
export function presentApiKey(key: ShownApiKey): z.input<typeof apiKeySchema> {
  return {
    id: key.id,
    org_id: key.orgId,
    name: key.name,
    hint: key.hint,
    made_by: key.madeBy ?? 'unknown',
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}
