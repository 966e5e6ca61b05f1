import { z } from 'zod';
import { readJson } from '../read-content.ts';

/** US dollars for a million tokens. */
const dollars = z.number().min(0);

const entrySchema = z.strictObject({
  /** What a model makes that answers no turns: pictures, or text of speech. */
  kind: z.enum(['image', 'transcription']).optional(),
  /** In tokens, as is what it writes at most. */
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  input_price: dollars.nullable(),
  output_price: dollars.nullable(),
  cached_input_price: dollars.optional(),
  cache_write_price: dollars.optional(),
  supports_tools: z.boolean().nullable(),
  supports_vision: z.boolean().nullable(),
  supports_reasoning: z.boolean().nullable(),
  supports_temperature: z.boolean().nullable(),
  supports_timestamps: z.boolean().optional(),
  source: z.string(),
  as_of: z.string().nullable(),
  note: z.string().optional(),
});
const fileSchema = z.strictObject({
  _meta: z.record(z.string(), z.unknown()),
  models: z.record(z.string(), z.record(z.string(), entrySchema)),
});

/** What ships with the service about a model of a provider; null means unknown. */
export type ModelEntry = z.infer<typeof entrySchema>;

const byProvider: ReadonlyMap<string, ReadonlyMap<string, ModelEntry>> = new Map(
  Object.entries(readJson('models.json', fileSchema).models).map(([key, models]) => [
    key,
    new Map(Object.entries(models)),
  ]),
);

const none: ReadonlyMap<string, ModelEntry> = new Map();

/** Returns what is known of the models of a provider by their names, the one to choose first. */
export function modelEntries(providerKey: string): ReadonlyMap<string, ModelEntry> {
  return byProvider.get(providerKey) ?? none;
}

/** Returns what is known of all models of all providers, with their names. */
export function allModelEntries(): readonly (readonly [name: string, entry: ModelEntry])[] {
  return [...byProvider.values()].flatMap((models) => [...models]);
}
