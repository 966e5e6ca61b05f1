import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { addressLabel, fetchText } from './fetch-text.ts';

const MAX_ENTRIES = 100;
const ENTRIES = 20;
const MAX_BYTES = 4 * 1024 * 1024;
const ACCEPT = 'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

const parameters = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Address of the feed.'),
  since: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('Only entries from this time on, such as `2026-11-20` or `2026-11-20T08:00:00Z`.'),
  limit: z.int().min(1).max(MAX_ENTRIES).optional().describe(`Entries to return; ${ENTRIES} when left out.`),
});

/** Reads a feed. */
export const rssRead = defineTool({
  key: 'rss_read',
  name: 'Read a feed',
  description:
    'Reads an RSS, Atom or JSON feed and answers its entries, newest first: title, address, time, author and a short text.',
  category: 'web',
  parameters,
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ url }) => `Reading the feed of ${addressLabel(url)}`,
  run: async ({ url, since, limit = ENTRIES }, context) => {
    const sinceMs = since === undefined ? undefined : timeOf(since);
    const found = await fetchText(
      { url, headers: { accept: ACCEPT }, timeoutMs: 30_000, maxBytes: MAX_BYTES },
      context,
    );
    const job = { kind: 'feed', text: found.text, url: found.url, sinceMs, limit } as const;
    const feed = JSON.parse(await context.compute(job, { limitMs: 10_000 })) as object;
    return { value: { ...feed, ...(found.notice !== undefined && { notice: found.notice }) }, isForeign: true };
  },
});

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new ToolFailure('invalid_input', 'since is not a time; write it as in 2026-11-20T08:00:00Z');
  return time;
}
