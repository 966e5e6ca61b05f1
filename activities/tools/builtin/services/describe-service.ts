import { createHash } from 'node:crypto';
import type { CallDetail } from '../../../../domain/approvals/index.ts';
import { formatBytes } from '../../../../domain/core/format-bytes.ts';
import type { IntegrationKindKey } from '../../../../domain/integrations/index.ts';
import type { ToolContext } from '../../context.ts';
import type { CallDescription } from '../../tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';

/** More than any tool sends of one file. */
const MAX_SENT_BYTES = 100_000_000;

/**
 * Describes a call by the integration that it works with, and by the content of the workspace files that it sends; see
 * `Tool.describe`.
 */
export async function describeService(
  kinds: readonly IntegrationKindKey[],
  name: string | undefined,
  context: Pick<ToolContext, 'findService' | 'workspace' | 'signal'>,
  files: readonly string[] = [],
): Promise<CallDescription> {
  const { name: integration, apiUrl, connection } = await context.findService(kinds, name);
  const address = apiUrl === '' ? [] : [{ label: 'Address', value: apiUrl }];
  const described: CallDetail[] = [];
  for (const path of files) described.push({ label: 'File', value: `${path}: ${await contentOf(path, context)}` });
  const basis = { connection, ...(files.length > 0 && { files: described.map(({ value }) => value) }) };
  return { details: [{ label: 'Integration', value: integration }, ...address, ...described], basis };
}

// What agents write meanwhile would be sent in the place of what was approved.
async function contentOf(path: string, { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>) {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of workspace.readPieces(filePath(path), signal)) {
      hash.update(piece);
      bytes += piece.length;
      if (bytes > MAX_SENT_BYTES) return `more than ${formatBytes(MAX_SENT_BYTES)}`;
    }
  } catch (error) {
    if (error instanceof ToolFailure) return error.message;
    throw error;
  }
  return `${formatBytes(bytes)}, SHA-256 ${hash.digest('hex')}`;
}
