import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import type { Service } from '../../context.ts';
import { adfToMarkdown } from '../atlassian/adf-to-markdown.ts';
import { readAnswer } from '../services/read-answer.ts';

const page = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string().optional(),
  spaceId: z.string().optional(),
  parentId: z.string().nullish(),
  version: z.object({ number: z.int(), message: z.string().nullish(), createdAt: z.string().optional() }),
  body: z.object({ atlas_doc_format: z.object({ value: z.string() }).optional() }).optional(),
  _links: z.object({ webui: z.string().optional() }).optional(),
});
export type ConfluencePage = z.output<typeof page>;

const found = z.object({
  title: z.string().catch(''),
  excerpt: z.string().catch(''),
  lastModified: z.string().optional(),
  content: z.object({ id: z.string(), type: z.string() }).optional(),
  resultGlobalContainer: z.object({ title: z.string() }).optional(),
});
/** The marks around words that were searched for. */
const HIGHLIGHT = /@@@(?:end)?hl@@@/g;

/** Reads a page with its content. */
export async function readPage(service: Service, id: string): Promise<ConfluencePage> {
  const query = { 'body-format': 'atlas_doc_format' };
  return readAnswer(await service.request({ path: `/api/v2/pages/${id}`, query, effect: 'read' }), page);
}

/** Returns a page with its content in Markdown. */
export function presentPage({ id, title, status, parentId, version, body, _links: links }: ConfluencePage) {
  const parsed = parseForeignJson(body?.atlas_doc_format?.value ?? '');
  return {
    id,
    title,
    status,
    parent_id: parentId ?? undefined,
    version: version.number,
    changed_at: version.createdAt,
    path: links?.webui,
    body: 'value' in parsed ? adfToMarkdown(parsed.value) : '',
  };
}

/** Returns what a search tells of a page. */
export function presentFound(value: unknown) {
  const { data } = found.safeParse(value);
  return {
    id: data?.content?.id,
    type: data?.content?.type,
    title: data?.title.replaceAll(HIGHLIGHT, ''),
    space: data?.resultGlobalContainer?.title,
    excerpt: data?.excerpt.replaceAll(HIGHLIGHT, ''),
    changed_at: data?.lastModified,
  };
}
