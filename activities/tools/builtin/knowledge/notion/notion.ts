import { z } from 'zod';
import { ToolFailure } from '../../../tool-failure.ts';
import { markdownBlocks } from '../../markdown-text.ts';
import { cursorParameter } from '../../parameters.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../../services/service-tool.ts';
import { type ActionService, readAnswer } from '../../services/read-answer.ts';
import {
  inBlocks,
  plainProperties,
  plainText,
  titleName,
  toProperties,
  toRichText,
  typedProperties,
} from './properties.ts';
import { blocksToMarkdown, readBlocks } from './to-markdown.ts';
import { appendParts, requestsOf, toNotionBlocks } from './to-notion-blocks.ts';

const LISTED = 25;

const id = z.string().regex(/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i);
const values = z.record(z.string().max(200), z.unknown());
const parameters = z.strictObject({
  query: z
    .string()
    .max(500)
    .optional()
    .describe('In search: words of titles; all that is shared with the integration without.'),
  page_id: id.optional().describe('Id of the page; in create_page that of the page above.'),
  database_id: id.optional().describe('Id of a database or of one of its data sources.'),
  title: z.string().max(2_000).optional().describe('Title of the page.'),
  markdown: z.string().max(200_000).optional().describe('Content to write.'),
  properties: values
    .optional()
    .describe('Values by the names of properties, such as {"Status":"Done","Tags":["a"]}, or in Notion\'s own form.'),
  filter: values.optional().describe("In query_database: a filter in Notion's form."),
  sorts: z.array(values).max(10).optional().describe("In query_database: sorts in Notion's form."),
  comment: z.string().min(1).max(20_000).optional().describe('Text of the comment.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const page = z.looseObject({
  id: z.string(),
  url: z.string().optional(),
  last_edited_time: z.string().optional(),
  properties: typedProperties,
});
const found = z.looseObject({
  object: z.string(),
  id: z.string(),
  url: z.string().optional(),
  last_edited_time: z.string().optional(),
  title: z.unknown().optional(),
  properties: z.unknown().optional(),
});
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullish() });
const comment = z.looseObject({ id: z.string() });

const ACTIONS = {
  search: read([], async ({ query, cursor }, { service }) => {
    const json = { query, page_size: LISTED, start_cursor: cursor };
    const { results, next_cursor: next } = await service.read({ method: 'POST', path: '/search', json }, pageOf(found));
    return { results: results.map(presentFound), next: next ?? undefined };
  }),
  get_page: read(['page_id'], async ({ page_id: pageId }, call) => {
    const read = await readPage(pageId, call);
    const { blocks, isCut } = await readBlocks(call.service, pageId);
    return { ...presentPage(read), markdown: blocksToMarkdown(blocks), ...(isCut && { is_cut: true }) };
  }),
  create_page: once(
    ['title'],
    async ({ page_id: above, database_id: database, title, markdown = '', properties = {} }, call) => {
      const parts = requestsOf(toNotionBlocks(await markdownBlocks(markdown, call.context)));
      const parent = await parentOf({ above, database, title, properties }, call);
      const json = { ...parent, children: parts[0] ?? [] };
      const made = await call.service.read({ method: 'POST', path: '/pages', json }, page);
      await appendParts(made.id, { parts: parts.slice(1), made: 1 }, call);
      return { id: made.id, url: made.url };
    },
  ),
  append: once(['page_id', 'markdown'], async ({ page_id: pageId, markdown }, call) => {
    const parts = requestsOf(toNotionBlocks(await markdownBlocks(markdown, call.context)));
    await appendParts(pageId, { parts, made: 0 }, call);
    return { id: pageId, appended_blocks: parts.flat().length };
  }),
  update_page: keyed(['page_id'], async ({ page_id: pageId, title, properties = {} }, call) => {
    const { properties: types } = await readPage(pageId, call);
    const changes = { ...properties, ...(title !== undefined && { [titleName(types)]: title }) };
    const json = { properties: toProperties(changes, types) };
    return presentPage(await call.service.read({ method: 'PATCH', path: `/pages/${pageId}`, json }, page));
  }),
  query_database: read(['database_id'], async ({ database_id: database, filter, sorts, cursor }, { service }) => {
    const { id: sourceId } = await dataSourceOf(database, service);
    const json = { filter, sorts, page_size: LISTED, start_cursor: cursor };
    const path = pathOf`/data_sources/${sourceId}/query`;
    const { results, next_cursor: next } = await service.read({ method: 'POST', path, json }, pageOf(page));
    return { pages: results.map(presentPage), next: next ?? undefined };
  }),
  comment: once(['page_id', 'comment'], async ({ page_id: pageId, comment: text }, { service }) => {
    const json = { parent: { page_id: pageId }, rich_text: inBlocks(toRichText([{ text }]))[0] };
    return { id: (await service.read({ method: 'POST', path: '/comments', json }, comment)).id };
  }),
};

const NOT_FOUND = 404;
const database = z.object({ data_sources: z.array(z.object({ id: z.string(), name: z.string().catch('') })) });
const dataSource = z.object({ id: z.string(), properties: typedProperties });

/** Works with pages and databases of Notion. It has no keys for what is created, so that is never repeated. */
export const notion = defineServiceTool({
  key: 'notion',
  name: 'Notion',
  description:
    'Searches, reads, creates and appends to pages in Notion as Markdown, changes their properties, queries databases and comments.',
  category: 'knowledge',
  kinds: ['notion'],
  parameters,
  actions: ACTIONS,
});

async function readPage(id: string, { service }: ServiceCall) {
  return service.read({ path: `/pages/${id}` }, page);
}

interface Parent {
  readonly above: string | undefined;
  readonly database: string | undefined;
  readonly title: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

async function parentOf({ above, database, title, properties }: Parent, { service }: ServiceCall) {
  if ((above === undefined) === (database === undefined))
    throw new ToolFailure('invalid_input', 'The action create_page requires page_id or database_id, and not both');
  if (database === undefined)
    return { parent: { page_id: above }, properties: { title: { title: toRichText([{ text: title }]) } } };
  const { id: sourceId, properties: types } = await dataSourceOf(database, service);
  const given = { ...properties, [titleName(types)]: title };
  return { parent: { type: 'data_source_id', data_source_id: sourceId }, properties: toProperties(given, types) };
}

function presentPage({ id, url, last_edited_time: edited, properties }: z.output<typeof page>) {
  return { id, url, last_edited_time: edited, properties: plainProperties(properties) };
}

function presentFound({ object, id, url, last_edited_time: edited, title, properties }: z.output<typeof found>) {
  const types = typedProperties.safeParse(properties).data ?? {};
  const name = Array.isArray(title) ? plainText(title) : plainText(types[titleName(types)]?.['title']);
  return { object, id, title: name, url, last_edited_time: edited };
}

/**
 * Returns the data source of a database with the types of its properties. The id may be that of the data source itself,
 * which is necessary where a database has several.
 */
async function dataSourceOf(id: string, service: ActionService): Promise<z.output<typeof dataSource>> {
  const answer = await service.request({ path: `/databases/${id}`, accepts: [NOT_FOUND] });
  const sourceId = answer.status === NOT_FOUND ? id : onlySource(readAnswer(answer, database).data_sources);
  const path = pathOf`/data_sources/${sourceId}`;
  return service.read({ path }, dataSource);
}

function onlySource(sources: z.output<typeof database>['data_sources']): string {
  const [first, second] = sources;
  if (first === undefined) throw new ToolFailure('not_found', 'The database has no data source');
  if (second === undefined) return first.id;
  const names = sources.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new ToolFailure('invalid_input', `The database has several data sources: give one of ${names}`, {
    isForeign: true,
  });
}
