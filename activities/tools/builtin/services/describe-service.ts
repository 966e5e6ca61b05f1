import { createHash } from 'node:crypto';
import { z } from 'zod';
import { formatBytes } from '../../../../domain/core/text.ts';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { ToolContext } from '../../context.ts';
import { CallChanged, type CallDescription } from '../../tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';

/** The workspace files whose content a call sends. */
export interface SentFiles {
  readonly paths: readonly string[];
  /** The most bytes that it sends of all of them. */
  readonly maxBytes: number;
}

/** The files that a call sends, in its basis. */
const FILES_BASIS = z.object({ files: z.array(z.string()).default([]) });

/**
 * Describes a call by the integration that it works with, and by the content of the workspace files that it sends; see
 * `Tool.describe`.
 */
export async function describeService(
  kinds: readonly IntegrationKindKey[],
  name: string | undefined,
  context: Pick<ToolContext, 'findService' | 'workspace' | 'signal'>,
  sent?: SentFiles,
): Promise<CallDescription> {
  const { name: integration, apiUrl, connection } = await context.findService(kinds, name);
  const address = apiUrl === '' ? [] : [{ label: 'Address', value: apiUrl }];
  const files = sent === undefined ? [] : await describeFiles(sent, context);
  const details = files.map((value) => ({ label: 'File', value }));
  const basis = { connection, ...(files.length > 0 && { files }) };
  return { details: [{ label: 'Integration', value: integration }, ...address, ...details], basis };
}

/**
 * Reads a file that a call sends. What was compared before may have been written again since: throws `CallChanged`
 * unless an approved call sends what its basis says.
 */
export async function readSentFile(
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
  { workspace }: Pick<ToolContext, 'workspace'>,
  { approvedBasis, describe }: { readonly approvedBasis: unknown; readonly describe: () => Promise<CallDescription> },
): Promise<Buffer> {
  const content = await workspace.read(filePath(path), maxBytes);
  if (approvedBasis === undefined) return content;
  const sent = fileLine(path, content.length, createHash('sha256').update(content).digest('hex'));
  if (!FILES_BASIS.parse(approvedBasis).files.includes(sent)) throw new CallChanged(await describe());
  return content;
}

async function describeFiles(
  { paths, maxBytes }: SentFiles,
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<string[]> {
  const lines: string[] = [];
  let bytes = 0;
  for (const path of new Set(paths)) {
    const hash = createHash('sha256');
    const before = bytes;
    try {
      for await (const chunk of workspace.readChunks(filePath(path), signal)) {
        hash.update(chunk);
        bytes += chunk.length;
        if (bytes > maxBytes) return [...lines, `${path}: more than the ${formatBytes(maxBytes)} that can be sent`];
      }
      lines.push(fileLine(path, bytes - before, hash.digest('hex')));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      lines.push(`${path}: ${error.message}`);
    }
  }
  return lines;
}

function fileLine(path: string, bytes: number, digest: string): string {
  return `${path}: ${formatBytes(bytes)}, SHA-256 ${digest}`;
}
