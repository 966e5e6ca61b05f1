export { ITEM_KINDS, type ItemAgent, type ItemDefinition, type ItemKind, type MarketplaceItem } from './item.ts';
export {
  BUILTIN_SOURCE,
  type MarketplaceIndex,
  parseMarketplaceIndexes,
  type RefusedItem,
} from './marketplace-indexes.ts';
export { needsOf } from './needs.ts';
export { SLUG } from './slug.ts';
export { isNewer, VERSION } from './version.ts';
