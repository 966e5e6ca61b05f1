import { allModelEntries, modelEntries } from './model-entries.ts';

/** Known properties of a model; undefined means unknown. */
export interface ModelFacts {
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

function unlessDenied(known: boolean | undefined, told: boolean | null): boolean | undefined {
  return told === false ? false : (known ?? told ?? undefined);
}
