/** The type of the workflow that fetches an index of the marketplace. */
export const REFRESH_MARKETPLACE_INDEX = 'refreshMarketplaceIndex';

export interface RefreshMarketplaceIndexInput {
  readonly indexId: string;
}

/** Returns the workflow's id: an index is fetched once at a time. */
export function refreshMarketplaceIndexId({ indexId }: RefreshMarketplaceIndexInput): string {
  return `marketplace-index/${indexId}`;
}
