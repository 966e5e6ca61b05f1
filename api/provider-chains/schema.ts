import { z } from 'zod';
import { findCatalogEntry } from '../../builtin/index.ts';
import { nameText } from '../../domain/core/text.ts';
import { timestamp } from '../core/fields.ts';

const MAX_STEPS = 20;

const step = z.strictObject({
  provider_type: z
    .string()
    .min(1)
    .max(100)
    .refine((type) => findCatalogEntry(type) !== undefined, 'is not a key of the provider catalog'),
  model_name: nameText().nullable().default(null),
});

const fields = {
  name: nameText(),
  is_default: z.boolean(),
  steps: z.array(step).min(1).max(MAX_STEPS),
};

export const newProviderChainSchema = z.strictObject({ ...fields, is_default: fields.is_default.default(false) });

export const providerChainChangesSchema = z.strictObject(fields).partial();

export const providerChainSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who made it; null when that is not known' }),
    name: z.string(),
    is_default: z.boolean(),
    steps: z.array(z.object({ provider_type: z.string(), model_name: z.string().nullable() })),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ProviderChain' });
