import type { WorkflowStart } from '../core/client.ts';
import { refreshMarketplaceIndexId, type RefreshMarketplaceIndexInput } from './contract.ts';

/** Returns the workflow that fetches an index of the marketplace. */
export function indexRefreshStart({ indexId }: RefreshMarketplaceIndexInput): WorkflowStart {
  const input = { indexId };
  return { id: refreshMarketplaceIndexId(input), input };
}
