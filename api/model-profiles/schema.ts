import { z } from 'zod';
import { findCatalogEntry } from '../../builtin/index.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_TAGS = 20;
const tag = nameText(50).refine((value) => !value.includes(','), 'must not contain a comma');

const fields = {
  name: nameText(100).meta({ description: 'Agents name it as `profile:<name>` in `model_pref`' }),
  description: text(5_000),
  provider_type: z
    .string()
    .min(1)
    .max(100)
    .refine((type) => findCatalogEntry(type) !== undefined, 'is not a key of the provider catalog')
    .nullable()
    .meta({ description: 'The type of the accounts that answer; null for a profile with a chain' }),
  model_name: nameText()
    .nullable()
    .meta({ description: "The model, by its provider's name for it; null leaves it to the account" }),
  provider_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: 'The chain that answers, instead of a type and a model' }),
  tags: z.array(tag).max(MAX_TAGS).meta({ description: 'Kinds of work that it is made for' }),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .meta({ description: 'Of several with as many of the wanted tags the highest is taken' }),
};

export const newModelProfileSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    provider_type: fields.provider_type.default(null),
    model_name: fields.model_name.default(null),
    provider_chain_id: fields.provider_chain_id.default(null),
    tags: fields.tags.default([]),
    priority: fields.priority.default(0),
  })
  .meta({
    id: 'ModelProfileCreate',
    examples: [
      {
        name: 'Careful',
        provider_type: 'anthropic',
        model_name: 'claude-sonnet-5-5',
        tags: ['code', 'review'],
        priority: 10,
      },
      { name: 'Cheap', provider_chain_id: EXAMPLE_ID, tags: ['summary'] },
    ],
  });

export const modelProfileChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'ModelProfileUpdate', examples: [{ priority: 20 }] });

export const modelProfileSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who made it; null when that is not known' }),
    ...fields,
    provider_type: z.string().nullable(),
    provider_chain_id: z.uuid().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'ModelProfile',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Careful',
        description: '',
        provider_type: 'anthropic',
        model_name: 'claude-sonnet-5-5',
        provider_chain_id: null,
        tags: ['code', 'review'],
        priority: 10,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const resolveQuery = z.strictObject({
  tags: text(1_000)
    .transform((list) => list.split(',').flatMap((each) => each.trim() || []))
    .pipe(z.array(z.string()).min(1, 'must name a tag').max(MAX_TAGS))
    .meta({
      type: 'string',
      minLength: 1,
      description: 'Kinds of work, separated by commas',
      examples: ['code,review'],
    }),
});
