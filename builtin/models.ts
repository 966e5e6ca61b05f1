import { z } from 'zod';
import type { Price, PriceList } from '../domain/prices.ts';
import { readJson } from './read-content.ts';

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
type ModelEntry = z.infer<typeof entrySchema>;

const byProvider: ReadonlyMap<string, ReadonlyMap<string, ModelEntry>> = new Map(
  Object.entries(readJson('models.json', fileSchema).models).map(([key, models]) => [
    key,
    new Map(Object.entries(models)),
  ]),
);

const none: ReadonlyMap<string, ModelEntry> = new Map();

/** Returns what is known of the models of a provider by their names, the one to choose first. */
function modelEntries(providerKey: string): ReadonlyMap<string, ModelEntry> {
  return byProvider.get(providerKey) ?? none;
}

/** Returns what is known of all models of all providers, with their names. */
function allModelEntries(): readonly (readonly [name: string, entry: ModelEntry])[] {
  return [...byProvider.values()].flatMap((models) => [...models]);
}

/** Known properties of a model; undefined means unknown. */
interface ModelFacts {
  /** The size of the context window, in tokens. */
  readonly contextWindow: number | undefined;
  /** Whether it takes tools natively. */
  readonly takesTools: boolean | undefined;
  /** Whether it takes pictures. */
  readonly takesImages: boolean | undefined;
}

const cautious = cautiousFacts();

/**
 * Returns the known properties of a model. The provider's own figures win. Without them, those hold that fit every
 * provider with a model of this name: the smallest window, and tools and pictures only if none says otherwise.
 */
export function modelFacts(modelName: string, providerKey?: string): ModelFacts {
  const own = providerKey === undefined ? undefined : modelEntries(providerKey).get(modelName);
  const general = cautious.get(modelName);
  return {
    contextWindow: own?.context_window ?? general?.contextWindow,
    takesTools: own?.supports_tools ?? general?.takesTools,
    takesImages: own?.supports_vision ?? general?.takesImages,
  };
}

function cautiousFacts(): ReadonlyMap<string, ModelFacts> {
  const facts = new Map<string, ModelFacts>();
  for (const [name, { context_window: window, supports_tools: tools, supports_vision: vision }] of allModelEntries()) {
    const known = facts.get(name);
    const contextWindow = Math.min(window ?? Infinity, known?.contextWindow ?? Infinity);
    facts.set(name, {
      contextWindow: contextWindow === Infinity ? undefined : contextWindow,
      takesTools: unlessDenied(known?.takesTools, tools),
      takesImages: unlessDenied(known?.takesImages, vision),
    });
  }
  return facts;
}

function unlessDenied(known: boolean | undefined, reported: boolean | null): boolean | undefined {
  return reported === false ? false : (known ?? reported ?? undefined);
}

/** Returns the price of a model: the operator's, else the one that ships with the service; undefined when unknown. */
export function modelPrice(operatorPrices: PriceList, providerKey: string, modelName: string): Price | undefined {
  return operatorPrices.get(providerKey)?.get(modelName) ?? shippedPrice(providerKey, modelName);
}

function shippedPrice(providerKey: string, modelName: string): Price | undefined {
  const known = modelEntries(providerKey).get(modelName);
  return (
    known && {
      input: known.input_price ?? undefined,
      output: known.output_price ?? undefined,
      cachedInput: known.cached_input_price,
      cacheWrite: known.cache_write_price,
    }
  );
}

/** What a model makes that answers no turns: pictures, or text of speech. */
export type MediaKind = NonNullable<ModelEntry['kind']>;

/** A model for pictures or speech. */
interface MediaModel {
  readonly name: string;
  readonly kind: MediaKind;
  /** Whether it tells when what was said. */
  readonly hasTimestamps: boolean;
}

/** Returns the known models of a provider for pictures and speech, the one to choose first. */
export function mediaModels(providerKey: string): readonly MediaModel[] {
  return [...modelEntries(providerKey)].flatMap(([name, { kind, supports_timestamps: hasTimestamps = false }]) =>
    kind === undefined ? [] : [{ name, kind, hasTimestamps }],
  );
}

const byModel = agreedByModel();

/**
 * Returns whether a model takes a temperature, or undefined when unknown. The provider's own entry wins; without one,
 * the entries of all providers for a model of this name.
 */
export function supportsTemperature(modelName: string, providerKey: string): boolean | undefined {
  return modelEntries(providerKey).get(modelName)?.supports_temperature ?? byModel.get(modelName) ?? undefined;
}

function agreedByModel(): ReadonlyMap<string, boolean | null> {
  const agreed = new Map<string, boolean | null>();
  for (const [name, { supports_temperature: takes }] of allModelEntries()) {
    if (takes !== null) agreed.set(name, agreed.has(name) && agreed.get(name) !== takes ? null : takes);
  }
  return agreed;
}
