import { type ModelEntry, modelEntries } from './model-entries.ts';

/** What a model makes that answers no turns: pictures, or text of speech. */
export type MediaKind = NonNullable<ModelEntry['kind']>;

/** A model for pictures or speech. */
export interface MediaModel {
  readonly name: string;
  readonly kind: MediaKind;
  /** Whether it tells when what was said. */
  readonly tellsTimes: boolean;
}

/** Returns the known models of a provider for pictures and speech, the one to choose first. */
export function mediaModels(providerKey: string): readonly MediaModel[] {
  return [...modelEntries(providerKey)].flatMap(([name, { kind, supports_timestamps: tellsTimes = false }]) =>
    kind === undefined ? [] : [{ name, kind, tellsTimes }],
  );
}
