import { z } from 'zod';
import { type FieldsOf, toFields } from '../domain/core/record-names.ts';
import { AUTH_TYPES } from '../domain/providers/credential-forms.ts';
import { deepFreeze, type DeepReadonly, readJson } from './read-content.ts';

const catalogEntrySchema = z.strictObject({
  key: z.string().regex(/^[a-z0-9-]+$/),
  name: z.string().min(1),
  description: z.string().min(1),
  auth_type: z.enum(AUTH_TYPES),
  stream_type: z.enum([
    'claude-code',
    'codex',
    'gemini-cli',
    'openai_compat',
    'anthropic',
    'gemini',
    'bedrock',
    'demo',
  ]),
  base_url: z.string().min(1).nullable(),
  requires_base_url: z.boolean(),
  default_model: z.string().min(1).nullable(),
  models: z.array(z.string().min(1)),
  /** The models by which texts are found by meaning, the one to choose first. */
  embedding_models: z.array(z.string().min(1)).default([]),
  website: z.url().nullable(),
  category: z.string().min(1),
});

/**
 * A provider that accounts can be made for. `baseUrl` may hold placeholders in braces where `requiresBaseUrl` is set.
 */
export type CatalogEntry = DeepReadonly<FieldsOf<typeof catalogEntrySchema>>;

/** Every provider, in display order. */
export const providerCatalog: readonly CatalogEntry[] = deepFreeze(
  readJson('providers.json', z.array(catalogEntrySchema)).map((entry) => toFields(catalogEntrySchema, entry)),
);

const byKey: ReadonlyMap<string, CatalogEntry> = new Map(providerCatalog.map((entry) => [entry.key, entry]));

/** The wire formats that this version speaks. */
const WIRE_FORMATS = ['anthropic', 'bedrock', 'demo', 'gemini', 'openai_compat'] as const;
export type WireFormatName = (typeof WIRE_FORMATS)[number];

/** The wire formats in which this version asks for embeddings. */
const EMBEDDING_FORMATS = ['gemini', 'openai_compat'] as const;
export type EmbeddingFormatName = (typeof EMBEDDING_FORMATS)[number];

/** Returns whether accounts of a provider type may serve embeddings: whether it is known and speaks such a format. */
export function mayEmbed(providerType: string): boolean {
  const entry = byKey.get(providerType);
  return entry !== undefined && (EMBEDDING_FORMATS as readonly string[]).includes(entry.streamType);
}

/**
 * Returns why this version makes no account for a provider; null when it does. Whether the workers have the program of
 * one that people sign in to is another question.
 */
export function whyUnavailable({ authType, streamType }: CatalogEntry): string | null {
  if (authType === 'oauth' || (WIRE_FORMATS as readonly string[]).includes(streamType)) return null;
  return `This provider speaks "${streamType}", which this version does not support`;
}

/** Returns the provider of this key, or undefined. */
export function findCatalogEntry(key: string): CatalogEntry | undefined {
  return byKey.get(key);
}
