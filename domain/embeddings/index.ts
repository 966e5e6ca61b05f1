export { AUTO, type EmbeddingModel, nameOfEmbeddingModel, OFF, parseEmbeddingModel } from './embedding-model.ts';
export { cosines, MAX_DIMENSIONS, packVector, type PackedVector, unitVector } from './packed-vector.ts';
