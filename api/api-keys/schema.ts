import { z } from 'zod';
import { nameText } from '../../domain/core/text.ts';
import { timestamp } from '../core/fields.ts';

export const newApiKeySchema = z.strictObject({ name: nameText() });

export const apiKeySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const apiKeyWithValueSchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The whole key; it is shown only now' }) })
  .meta({ id: 'ApiKeyWithValue' });
