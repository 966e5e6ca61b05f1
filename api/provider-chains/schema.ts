import { z } from 'zod';
import { findCatalogEntry } from '../../builtin/index.ts';
import { keptVerbatim } from '../../domain/core/record-names.ts';
import { nameText } from '../../domain/core/text.ts';
import { timestamp } from '../http/fields.ts';

const MAX_STEPS = 20;

const step = z
  .strictObject({
    provider_type: z
      .string()
      .min(1)
      .max(100)
      .refine((type) => findCatalogEntry(type) !== undefined, 'is not a key of the provider catalog'),
    model_name: nameText()
      .nullable()
      .default(null)
      .meta({ description: "The model to use, by its provider's name for it; null leaves it to the account" }),
  })
  .meta({ id: 'ProviderChainStepCreate' });

const fields = {
  name: nameText(),
  is_default: z.boolean().meta({ description: 'Whether it serves turns without a chain of their own' }),
  steps: keptVerbatim(z.array(step).min(1).max(MAX_STEPS)).meta({
    description: 'The providers to try, in this order, until one replies',
  }),
};

export const newProviderChainSchema = z.strictObject({ ...fields, is_default: fields.is_default.default(false) }).meta({
  id: 'ProviderChainCreate',
  examples: [
    { name: 'Cheap first', steps: [{ provider_type: 'openai', model_name: null }, { provider_type: 'anthropic' }] },
  ],
});

export const providerChainChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'ProviderChainUpdate', examples: [{ is_default: true }] });

const shownStep = z
  .object({ provider_type: z.string(), model_name: z.string().nullable() })
  .meta({ id: 'ProviderChainStep' });

export const providerChainSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Its creator; null when unknown' }),
    name: z.string(),
    is_default: z.boolean(),
    steps: keptVerbatim(z.array(shownStep)),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ProviderChain' });
