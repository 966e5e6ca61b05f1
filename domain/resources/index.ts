export {
  type AllowlistName,
  allowlistOf,
  type AllowlistOfIds,
  ALLOWLISTS,
  type DeclaredAllowlist,
} from './allowlists.ts';
export { type Area, AREAS, isArea, RESERVED_AREAS } from './areas.ts';
export { type IdName, RESOURCE_OF_ID } from './ids.ts';
export { nameInSentence, RESOURCE_KEYS, type ResourceKey, resourceOf } from './resources.ts';
export { type ExpectedVersions, requireVersion } from './versions.ts';
