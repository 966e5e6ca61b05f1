export { ITEM_KINDS, type ItemAgent, type ItemDefinition, type ItemKind, type MarketplaceItem } from './item.ts';
export { needsOf } from './needs.ts';
export { isNewer, VERSION } from './version.ts';
