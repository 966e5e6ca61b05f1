import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { EXTRACT_TEXT, extractTextId, type ExtractTextInput } from './contract.ts';

/** Makes sure that the text of a file is being extracted. Harmless to repeat. */
export async function startExtraction(client: Client, { orgId, fileId }: ExtractTextInput): Promise<void> {
  const input = { orgId, fileId };
  await startDetached(client, EXTRACT_TEXT, { id: extractTextId(input), input, fairnessKey: orgId });
}
