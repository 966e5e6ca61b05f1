import type { WorkflowStart } from '../core/client.ts';
import { extractTextId, type ExtractTextInput } from './contract.ts';

/** Returns the workflow that extracts the text of a file. */
export function extractionStart({ orgId, fileId }: ExtractTextInput): WorkflowStart {
  const input = { orgId, fileId };
  return { id: extractTextId(input), input, fairnessKey: orgId };
}
