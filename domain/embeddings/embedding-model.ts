/** The choice of a knowledge base that takes the first model that the organization's accounts offer. */
export const AUTO = 'auto';

/** The choice of a knowledge base that is searched by words alone. */
export const OFF = 'off';

/** A model that turns texts into vectors, and the type of the provider that serves it. */
export interface EmbeddingModel {
  readonly providerType: string;
  readonly modelName: string;
}

/** Returns the model that a name such as `openai/text-embedding-3-small` stands for; undefined for anything else. */
export function parseEmbeddingModel(name: string): EmbeddingModel | undefined {
  const slash = name.indexOf('/');
  const [providerType, modelName] = [name.slice(0, slash), name.slice(slash + 1)];
  return slash > 0 && modelName !== '' ? { providerType, modelName } : undefined;
}

/** Returns the name of a model, by which it is chosen and shown. */
export function nameOfEmbeddingModel({ providerType, modelName }: EmbeddingModel): string {
  return `${providerType}/${modelName}`;
}
