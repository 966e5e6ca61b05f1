export {
  type AllowlistName,
  type AllowlistOfIds,
  type AllowlistOfKeys,
  ALLOWLISTS,
  type DeclaredAllowlist,
} from './allowlists.ts';
export { type Area, AREAS, isArea } from './areas.ts';
export { resourceOf } from './resources.ts';
