/** What a model costs, in US dollars: a million tokens each, unless it says otherwise. Undefined means unknown. */
export interface Price {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Input that is read from the provider's cache; as other input when unknown. */
  readonly cachedInput?: number | undefined;
  /** Input that is written to that cache; as other input when unknown. */
  readonly cacheWrite?: number | undefined;
  /** One generated image, in place of its tokens. */
  readonly image?: number | undefined;
  /** One minute of sound, in place of its tokens. */
  readonly minute?: number | undefined;
}

/** Returns the price of a model at a provider; undefined when it is unknown. */
export type FindPrice = (providerType: string, modelName: string) => Price | undefined;
