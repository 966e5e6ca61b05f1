import { z } from 'zod';
import { readJson } from '../read-content.ts';

const modelsSchema = z.object({
  models: z.record(
    z.string(),
    z.record(z.string(), z.object({ supports_temperature: z.boolean().nullable().optional() })),
  ),
});

const byProvider = readJson('models.json', modelsSchema).models;
const byModel = agreedByModel();

/**
 * Returns whether a model takes a temperature, or undefined when unknown. The provider's own entry wins; without one,
 * the entries of all providers for a model of this name.
 */
export function supportsTemperature(modelName: string, providerKey: string): boolean | undefined {
  return byProvider[providerKey]?.[modelName]?.supports_temperature ?? byModel.get(modelName) ?? undefined;
}

function agreedByModel(): ReadonlyMap<string, boolean | null> {
  const agreed = new Map<string, boolean | null>();
  for (const models of Object.values(byProvider)) {
    for (const [name, { supports_temperature: takes = null }] of Object.entries(models)) {
      if (takes !== null) agreed.set(name, agreed.has(name) && agreed.get(name) !== takes ? null : takes);
    }
  }
  return agreed;
}
