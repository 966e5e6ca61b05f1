import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { adfToMarkdown, toAdf } from '../atlassian.ts';
import { markdownBlocks } from '../markdown-text.ts';
import { cursorParameter } from '../parameters.ts';
import { type ActionService, readAnswer } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

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

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const links = z.object({ next: z.string().optional() }).optional();
const found = z.object({ results: z.array(z.unknown()), _links: links });
const spaces = z.object({
  results: z.array(z.object({ id: z.string(), key: z.string(), name: z.string(), type: z.string().optional() })),
  _links: links,
});
const created = z.object({ id: z.string() });

const ACTIONS = {
  search: read(['cql'], async ({ cql, cursor }, { service }) => {
    const query = { cql, limit: LISTED, cursor };
    const { results, _links: { next } = {} } = await service.read({ path: '/rest/api/search', query }, found);
    return { results: results.map(presentFound), next: cursorIn(next) };
  }),
  get: read(['page_id'], async ({ page_id: pageId }, { service }) => presentPage(await readPage(service, pageId))),
  create: once(
    ['space_key', 'title', 'body'],
    async ({ space_key: spaceKey, parent_id: parentId, title, body }, call) => {
      const spaceId = await spaceIdOf(spaceKey, call.service);
      const json = { spaceId, parentId, status: 'current', title, body: await bodyOf(body, call) };
      const answer = await call.service.request({ method: 'POST', path: '/api/v2/pages', json });
      return presentWritten(answer);
    },
  ),
  update: keyed(['page_id'], async ({ page_id: pageId, title, body, version }, call) => {
    if (title === undefined && body === undefined)
      throw new ToolFailure('invalid_input', 'The action update requires title or body');
    const content = body === undefined ? undefined : await bodyOf(body, call);
    return changePage({ id: pageId, title, body: content, version }, call);
  }),
  comment: once(['page_id', 'comment'], async ({ page_id: pageId, comment }, call) => {
    const json = { pageId, body: await bodyOf(comment, call) };
    const { id } = await call.service.read({ method: 'POST', path: '/api/v2/footer-comments', json }, created);
    return { id };
  }),
  list_spaces: read([], async ({ cursor }, { service }) => {
    const query = { limit: LISTED, cursor };
    const { results, _links: { next } = {} } = await service.read({ path: '/api/v2/spaces', query }, spaces);
    return { spaces: results, next: cursorIn(next) };
  }),
};

const CONFLICT = 409;
const MAX_ATTEMPTS = 3;

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

const foundPage = z.object({
  title: z.string().catch(''),
  excerpt: z.string().catch(''),
  lastModified: z.string().optional(),
  content: z.object({ id: z.string(), type: z.string() }).optional(),
  resultGlobalContainer: z.object({ title: z.string() }).optional(),
});
/** The marks around words that were searched for. */
const HIGHLIGHT = /@@@(?:end)?hl@@@/g;

/** Works with pages of Confluence Cloud. The version message of a change contains the key of its call. */
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

async function spaceIdOf(key: string, service: ActionService): Promise<string> {
  const space = (await service.read({ path: '/api/v2/spaces', query: { keys: key, limit: 1 } }, spaces)).results[0];
  if (space === undefined) throw new ToolFailure('not_found', `There is no space ${key} that this account sees`);
  return space.id;
}

function presentWritten(answer: ServiceAnswer) {
  const { id: pageId } = readAnswer(answer, created);
  return { id: pageId, version: 1 };
}

// The address of the next page is relative to that of the site.
function cursorIn(next: string | undefined): string | undefined {
  return next === undefined
    ? undefined
    : (URL.parse(next, 'https://site.invalid')?.searchParams.get('cursor') ?? undefined);
}

/** The changes to a page; undefined fields stay. */
interface Change {
  readonly id: string;
  readonly title: string | undefined;
  readonly body: { readonly representation: string; readonly value: string } | undefined;
  /** The version that the change is meant for; whichever is the newest unless given. */
  readonly version: number | undefined;
}

/**
 * Writes the next version of a page. The version number reveals that somebody else has changed the page: then it is
 * read again, unless the change is meant for one version only. A repetition finds the key of its call in the message of
 * the newest version, and changes nothing.
 */
async function changePage(change: Change, call: ServiceCall) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const page = await readPage(call.service, change.id);
    const isMade = page.version.message?.includes(call.context.idempotencyKey) === true;
    if (isMade) return present(page.title, page.version.number, change.id);
    if (change.version !== undefined && change.version !== page.version.number)
      throw new ToolFailure(
        'invalid_input',
        `The page has the version ${page.version.number} now, not ${change.version}: read it again, and change what it says now`,
      );
    const number = page.version.number + 1;
    const title = change.title ?? page.title;
    if (await putVersion({ page, change, title, number }, call)) return present(title, number, change.id);
  }
  throw new ToolFailure('upstream', `Others changed the page at the same time, ${MAX_ATTEMPTS} times; try again`);
}

interface NextVersion {
  readonly page: ConfluencePage;
  readonly change: Change;
  readonly title: string;
  readonly number: number;
}

// Returns whether it was made; not when the number is taken.
async function putVersion(
  { page, change, title, number }: NextVersion,
  { service, context }: ServiceCall,
): Promise<boolean> {
  const same = { representation: 'atlas_doc_format', value: page.body?.atlas_doc_format?.value ?? '' };
  const version = { number, message: `Changed by an agent (${context.idempotencyKey})` };
  const { status } = await service.request({
    method: 'PUT',
    path: `/api/v2/pages/${change.id}`,
    json: { id: change.id, status: 'current', title, body: change.body ?? same, version },
    accepts: [CONFLICT],
  });
  return status !== CONFLICT;
}

function present(title: string, version: number, id: string) {
  return { id, title, version };
}

type ConfluencePage = z.output<typeof page>;

/** Reads a page with its content. */
async function readPage(service: ActionService, id: string): Promise<ConfluencePage> {
  const query = { 'body-format': 'atlas_doc_format' };
  return service.read({ path: `/api/v2/pages/${id}`, query }, page);
}

/** Returns a page with its content in Markdown. */
function presentPage({ id, title, status, parentId, version, body, _links: links }: ConfluencePage) {
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

/** Returns the fields of a page that a search found. */
function presentFound(value: unknown) {
  const { data } = foundPage.safeParse(value);
  return {
    id: data?.content?.id,
    type: data?.content?.type,
    title: data?.title.replaceAll(HIGHLIGHT, ''),
    space: data?.resultGlobalContainer?.title,
    excerpt: data?.excerpt.replaceAll(HIGHLIGHT, ''),
    changed_at: data?.lastModified,
  };
}
