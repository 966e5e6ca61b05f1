import { z } from 'zod';
import { readJson } from './read-content.ts';

const modelsSchema = z.object({
  models: z.record(z.string(), z.record(z.string(), z.object({ context_window: z.int().nullable() }))),
});

const byProvider = readJson('models.json', modelsSchema).models;
const smallestByModel = smallestWindows();

/**
 * How many tokens a model takes, or undefined when nobody has said. The provider's own figure wins; without one, the
 * smallest that any provider gives for a model of this name, so that a prompt cut to it fits everywhere.
 */
export function contextWindow(modelName: string, providerKey?: string): number | undefined {
  const own = providerKey === undefined ? undefined : byProvider[providerKey]?.[modelName]?.context_window;
  return own ?? smallestByModel.get(modelName);
}

function smallestWindows(): ReadonlyMap<string, number> {
  const smallest = new Map<string, number>();
  for (const models of Object.values(byProvider)) {
    for (const [name, { context_window: window }] of Object.entries(models)) {
      if (window !== null) smallest.set(name, Math.min(window, smallest.get(name) ?? window));
    }
  }
  return smallest;
}
