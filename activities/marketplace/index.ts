export { createFetchMarketplaceIndex } from './fetch-marketplace-index.ts';
export type { MarketplaceDeps } from './refresh-index.ts';
