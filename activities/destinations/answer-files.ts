import { z } from 'zod';
import { workspacePathOf } from '../../domain/workspace-links.ts';
import type { ComputeJob } from '../tools/compute/job.ts';

/** The most addresses of an answer that are checked. */
const MAX_LINKS = 200;
const addresses = z.array(z.string());

/** Returns the paths of the workspace that the links and pictures of an answer lead to, as the console shows them. */
export async function linkedPaths(
  markdown: string,
  compute: (job: ComputeJob) => Promise<string>,
): Promise<readonly string[]> {
  // Most answers have none.
  if (!markdown.includes('](') && !markdown.includes(']:')) return [];
  const found = addresses.parse(JSON.parse(await compute({ kind: 'markdown_links', markdown, limit: MAX_LINKS })));
  return found.flatMap((address) => workspacePathOf(address)?.normalize('NFC') ?? []);
}
