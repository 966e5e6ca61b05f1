import { allModelEntries, modelEntries } from './model-entries.ts';

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
