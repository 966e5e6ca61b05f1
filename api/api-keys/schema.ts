import { z } from 'zod';
import { nameText } from '../../domain/core/text.ts';
import { timestamp } from '../http/fields.ts';
import { shownEmail } from '../users/index.ts';

export const newApiKeySchema = z
  .strictObject({ name: nameText() })
  .meta({ id: 'ApiKeyCreate', examples: [{ name: 'Nightly import' }] });

export const apiKeySchema = z
  .object({
    id: z.uuid(),
    org_id: z.uuid(),
    name: z.string(),
    hint: z.string().nullable().meta({ description: 'The last four characters of the key; null for a very old one' }),
    made_by: z.enum(['sign_in', 'device', 'unknown']).meta({ description: 'How the key was created' }),
    created_at: timestamp,
    updated_at: timestamp,
    last_used_at: timestamp.nullable(),
    expires_at: timestamp
      .nullable()
      .meta({ description: "For keys created with a device: when the device's session expires" }),
  })
  .meta({ id: 'ApiKey' });

export const apiKeyWithValueSchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The whole key; it is shown only once' }) })
  .meta({ id: 'ApiKeyWithValue' });

export const memberKeySchema = apiKeySchema
  .extend({ user_id: z.uuid(), email: shownEmail })
  .meta({ id: 'MemberApiKey' });
