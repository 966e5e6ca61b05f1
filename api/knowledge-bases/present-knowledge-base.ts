import type { z } from 'zod';
import type { KnowledgeBase } from '../../db/knowledge-bases/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { OFF } from '../../domain/embeddings/index.ts';
import { knowledgeBaseSchema } from './schema.ts';

type EmbeddingStatus = z.input<typeof knowledgeBaseSchema>['embedding']['status'];

/** Returns a knowledge base as the API shows it. */
export function presentKnowledgeBase(base: KnowledgeBase): z.input<typeof knowledgeBaseSchema> {
  const { modelInUse: model, dimensions, embeddedPassages: passages, embeddingTokens: tokens } = base;
  const { embeddingCost: cost, embeddingError: error } = base;
  const embedding = { status: statusOf(base), model, dimensions, passages, tokens, cost, error };
  return present(knowledgeBaseSchema, base, { embedding });
}

function statusOf({ embeddingModel, embeddingError, embeddedPassages, passages }: KnowledgeBase): EmbeddingStatus {
  if (embeddingModel === OFF) return 'off';
  if (embeddingError !== null) return 'waiting';
  return embeddedPassages < passages ? 'working' : 'ready';
}
