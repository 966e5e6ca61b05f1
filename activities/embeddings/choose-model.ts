import { findCatalogEntry } from '../../builtin/index.ts';
import type { EmbeddingState } from '../../db/knowledge-bases/index.ts';
import type { TurnAccount } from '../../db/providers/index.ts';
import { AUTO, type EmbeddingModel, parseEmbeddingModel } from '../../domain/embeddings/index.ts';
import { NoVectors } from './ask-for-vectors.ts';

/**
 * Returns the model whose vectors a knowledge base is to have. `auto` keeps the one in use while there is an account
 * for it, and else takes that of the oldest shared account that offers one. Throws `NoVectors` when there is none.
 */
export function chooseModel(
  { choice, modelInUse }: Pick<EmbeddingState, 'choice' | 'modelInUse'>,
  shared: readonly Pick<TurnAccount, 'providerType'>[],
): EmbeddingModel {
  const chosen = parseEmbeddingModel(choice);
  if (chosen !== undefined) return chosen;
  if (choice !== AUTO)
    throw new NoVectors(
      `"${choice}" is no embedding model: choose another one in the settings of the knowledge base`,
      {},
    );
  const inUse = parseEmbeddingModel(modelInUse ?? '');
  if (inUse !== undefined && shared.some(({ providerType }) => providerType === inUse.providerType)) return inUse;
  const offered = shared.flatMap(({ providerType }) => {
    const [modelName] = findCatalogEntry(providerType)?.embeddingModels ?? [];
    return modelName === undefined ? [] : [{ providerType, modelName }];
  });
  if (offered[0] !== undefined) return offered[0];
  throw new NoVectors(
    'No shared provider account offers embeddings by itself. Add one, or name a model of yours in the settings of the knowledge base, such as ollama/nomic-embed-text',
    {},
  );
}
