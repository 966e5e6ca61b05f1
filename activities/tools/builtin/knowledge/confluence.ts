import { z } from 'zod';
import { cursorParameter } from '../services/cursor-parameter.ts';
import type { Service, ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { toAdf } from '../atlassian/to-adf.ts';
import { markdownBlocks } from '../markdown-blocks.ts';
import { readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';
import { presentFound, presentPage, readPage } from './confluence-page.ts';
import { changePage } from './change-confluence-page.ts';

const LISTED = 25;

const id = z.string().regex(/^\d{1,20}$/);
const parameters = z.strictObject({
  cql: z.string().min(1).max(2_000).optional().describe('In search, such as `space = TEAM AND text ~ "release"`.'),
  page_id: id.optional().describe('Id of the page.'),
  parent_id: id.optional().describe('In create: id of the page above.'),
  space_key: z
    .string()
    .regex(/^[~\w.-]{1,255}$/)
    .optional()
    .describe('In create: key of the space.'),
  title: z.string().min(1).max(255).optional().describe('Title of the page.'),
  body: z.string().max(200_000).optional().describe('Markdown; in update it replaces the whole page.'),
  version: z
    .int()
    .positive()
    .optional()
    .describe('In update: the version that was read; a page that has changed since is left alone.'),
  comment: z.string().min(1).max(50_000).optional().describe('Markdown.'),
  cursor: cursorParameter,
});

const action = actionsWith<z.output<typeof parameters>>();
const links = z.object({ next: z.string().optional() }).optional();
const found = z.object({ results: z.array(z.unknown()), _links: links });
const spaces = z.object({
  results: z.array(z.object({ id: z.string(), key: z.string(), name: z.string(), type: z.string().optional() })),
  _links: links,
});
const created = z.object({ id: z.string() });

const ACTIONS = {
  search: action({
    needs: ['cql'],
    effect: 'read',
    run: async ({ cql, cursor }, { service }) => {
      const query = { cql, limit: LISTED, cursor };
      const answer = await service.request({ path: '/rest/api/search', query, effect: 'read' });
      const { results, _links: { next } = {} } = readAnswer(answer, found);
      return { results: results.map(presentFound), next: cursorIn(next) };
    },
  }),
  get: action({
    needs: ['page_id'],
    effect: 'read',
    run: async ({ page_id: pageId }, { service }) => presentPage(await readPage(service, pageId)),
  }),
  create: action({
    needs: ['space_key', 'title', 'body'],
    effect: 'once',
    run: async ({ space_key: spaceKey, parent_id: parentId, title, body }, call) => {
      const spaceId = await spaceIdOf(spaceKey, call.service);
      const json = { spaceId, parentId, status: 'current', title, body: await bodyOf(body, call) };
      const answer = await call.service.request({ method: 'POST', path: '/api/v2/pages', json, effect: 'once' });
      return tellWritten(answer);
    },
  }),
  update: action({
    needs: ['page_id'],
    effect: 'keyed',
    run: async ({ page_id: pageId, title, body, version }, call) => {
      if (title === undefined && body === undefined)
        throw new ToolFailure('invalid_input', 'The action update requires title or body');
      const content = body === undefined ? undefined : await bodyOf(body, call);
      return changePage({ id: pageId, title, body: content, version }, call);
    },
  }),
  comment: action({
    needs: ['page_id', 'comment'],
    effect: 'once',
    run: async ({ page_id: pageId, comment }, call) => {
      const json = { pageId, body: await bodyOf(comment, call) };
      const answer = await call.service.request({
        method: 'POST',
        path: '/api/v2/footer-comments',
        json,
        effect: 'once',
      });
      return { id: readAnswer(answer, created).id };
    },
  }),
  list_spaces: action({
    effect: 'read',
    run: async ({ cursor }, { service }) => {
      const answer = await service.request({
        path: '/api/v2/spaces',
        query: { limit: LISTED, cursor },
        effect: 'read',
      });
      const { results, _links: { next } = {} } = readAnswer(answer, spaces);
      return { spaces: results, next: cursorIn(next) };
    },
  }),
};

/** Works with pages of Confluence Cloud. A change carries the key of its call in the message of the version. */
export const confluence = defineServiceTool({
  key: 'confluence',
  name: 'Confluence',
  description:
    'Searches pages in Confluence by CQL; reads, creates, changes and comments on them in Markdown; lists spaces.',
  category: 'knowledge',
  kinds: ['confluence'],
  parameters,
  actions: ACTIONS,
});

async function bodyOf(markdown: string, { context }: ServiceCall) {
  const document = toAdf(await markdownBlocks(markdown, context));
  return { representation: 'atlas_doc_format', value: JSON.stringify(document) } as const;
}

async function spaceIdOf(key: string, service: Service): Promise<string> {
  const answer = await service.request({ path: '/api/v2/spaces', query: { keys: key, limit: 1 }, effect: 'read' });
  const space = readAnswer(answer, spaces).results[0];
  if (space === undefined) throw new ToolFailure('not_found', `There is no space ${key} that this account sees`);
  return space.id;
}

function tellWritten(answer: ServiceAnswer) {
  const { id: pageId } = readAnswer(answer, created);
  return { id: pageId, version: 1 };
}

// The address of the next page is relative to that of the site.
function cursorIn(next: string | undefined): string | undefined {
  return next === undefined
    ? undefined
    : (URL.parse(next, 'https://site.invalid')?.searchParams.get('cursor') ?? undefined);
}
