import { z } from 'zod';
import { readJson } from '../read-content.ts';

const modelsSchema = z.object({
  models: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ kind: z.enum(['image', 'transcription']).optional(), supports_timestamps: z.boolean().optional() }),
    ),
  ),
});

/** What a model makes that answers no turns: pictures, or text of speech. */
export type MediaKind = 'image' | 'transcription';

/** A model for pictures or speech. */
export interface MediaModel {
  readonly name: string;
  readonly kind: MediaKind;
  /** Whether it tells when what was said. */
  readonly tellsTimes: boolean;
}

const byProvider: ReadonlyMap<string, readonly MediaModel[]> = new Map(
  Object.entries(readJson('models.json', modelsSchema).models).map(([key, models]) => [
    key,
    Object.entries(models).flatMap(([name, { kind, supports_timestamps: tellsTimes = false }]) =>
      kind === undefined ? [] : [{ name, kind, tellsTimes }],
    ),
  ]),
);

/** Returns the known models of a provider for pictures and speech, the one to choose first. */
export function mediaModels(providerKey: string): readonly MediaModel[] {
  return byProvider.get(providerKey) ?? [];
}
