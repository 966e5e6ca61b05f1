import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ListProviderModelsInput, ListProviderModelsResult } from './contract.ts';

const { listModels } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // The person who asked is waiting and can ask again.
  retry: { maximumAttempts: 1 },
});

/** Asks a provider account which models it offers. */
export async function listProviderModels(input: ListProviderModelsInput): Promise<ListProviderModelsResult> {
  return listModels(input);
}
