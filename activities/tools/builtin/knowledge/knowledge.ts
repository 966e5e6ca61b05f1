import { z } from 'zod';
import { TextChunks } from '../../../core/texts/read-text.ts';
import { cut, isStorableText, TextBuffer, toShowable } from '../../../../domain/core/text.ts';
import { type FoundPassage, searchedBy, type ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';

const MAX_TEXT = 500_000;
const MAX_TITLE = 200;

const parameters = z.strictObject({
  knowledge_base_id: z
    .string()
    .min(1)
    .max(200)
    .describe('Id or name of the knowledge base; knowledge_search lists them.'),
  text: z.string().min(1).max(MAX_TEXT).optional().describe('The document itself, as plain text or Markdown.'),
  file: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Path of a text file in the workspace, such as `report.md`; an upload that is no text has one beside it.',
    ),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .describe(
      'Public address of a page or document, which is fetched once; with a text or file only where that comes from.',
    ),
  title: z.string().min(1).max(MAX_TITLE).optional().describe('What the document is called in search results.'),
  tags: z.array(z.string().min(1).max(50)).max(20).optional().describe('Words by which searches can be narrowed.'),
});

type Arguments = z.output<typeof parameters>;

/** Adds a document to a knowledge base. Repeating a call adds nothing more. */
export const knowledgeAdd = defineTool({
  key: 'knowledge_add',
  name: 'Add knowledge',
  description:
    'Adds a document to a knowledge base of the organization, where everybody with the right finds it: a text, a text file of the workspace, or a page. ' +
    'It is cut into passages in the background, and found some seconds later.',
  category: 'knowledge',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  timeoutSeconds: 60,
  inline: true,
  permission: 'knowledge_bases',
  label: ({ title, file, url }) => `Adding to knowledge: ${(title ?? file ?? url ?? 'a text').slice(0, 100)}`,
  run: async (args, context) => {
    const { knowledge_base_id: base, title, tags = [] } = args;
    const { source, name, notice } = await sourceOf(args, context);
    const document = { base, source, title: titleOf(title ?? name), tags: tags.map((tag) => lineOf(tag)) };
    // Under the id of the call, so that a repeated call adds nothing.
    const {
      id,
      title: stored,
      status,
      knowledgeBaseId,
    } = await context.knowledge.add(context.idempotencyKey, document);
    return { value: { document_id: id, knowledge_base_id: knowledgeBaseId, title: stored, status }, notice };
  },
});

async function sourceOf({ text, file, url }: Arguments, context: ToolContext) {
  if (text !== undefined && file !== undefined)
    throw new ToolFailure('invalid_input', 'Give a text or a file, not both');
  if (file !== undefined) {
    const { text: read, notice } = await readText(file, context);
    return { source: { text: checked(read), url }, name: file, notice };
  }
  if (text !== undefined) return { source: { text: checked(text), url }, name: text };
  if (url !== undefined) return { source: { url }, name: url };
  throw new ToolFailure('invalid_input', 'Give a text, a file or a url');
}

async function readText(path: string, { workspace, signal }: ToolContext) {
  const text = new TextBuffer();
  const chunks = new TextChunks(workspace.readChunks(filePath(path), signal));
  for await (const chunk of chunks) {
    if (chunk.includes('\u0000'))
      throw new ToolFailure('invalid_input', 'The file is not text; add the text that is beside it');
    text.add(chunk);
    if (text.length > MAX_TEXT) throw tooLong();
  }
  return { text: text.text, notice: chunks.notice };
}

function checked(text: string): string {
  if (text.trim() === '') throw new ToolFailure('invalid_input', 'There is no text in it');
  if (text.length > MAX_TEXT) throw tooLong();
  if (!isStorableText(text))
    throw new ToolFailure('invalid_input', 'The text contains characters that cannot be stored');
  return text;
}

function tooLong(): ToolFailure {
  return new ToolFailure(
    'invalid_input',
    `The text is longer than ${MAX_TEXT.toLocaleString('en')} characters; add parts`,
  );
}

// The first line, without the marks of a heading.
function titleOf(text: string): string {
  return (
    cut(
      lineOf(
        text
          .trim()
          .split('\n', 1)[0]
          ?.replace(/^#+\s*/, '') ?? '',
      ),
      MAX_TITLE,
    ) || 'Untitled'
  );
}

function lineOf(text: string): string {
  const line = toShowable(text).trim();
  if (!isStorableText(line)) throw new ToolFailure('invalid_input', 'A title or tag cannot be stored');
  return line;
}

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
const MAX_NAMED = 50;

/** Searches the knowledge bases of the agent. What is found was written by anybody, and is marked as such. */
export const knowledgeSearch = defineTool({
  key: 'knowledge_search',
  name: 'Search knowledge',
  description:
    'Searches the knowledge bases of the organization, which contain its own documents, by keyword and by meaning, and returns the best passages, with their sources. ' +
    'Search here before you say what the organization does, has or wants, and name the document that an answer comes from. When nothing fits, try other words.',
  category: 'knowledge',
  onlyInChats: true,
  parameters: z.strictObject({
    query: z.string().min(1).max(2_000).describe('Words or a question; the first 20 words count.'),
    knowledge_base_ids: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(20)
      .optional()
      .describe('Ids or names of the knowledge bases to search; all of yours by default.'),
    top_k: z
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .optional()
      .describe(`How many passages to answer; ${DEFAULT_RESULTS} when left out.`),
    filters: z
      .strictObject({
        tags: z.array(z.string().min(1).max(50)).max(20).optional().describe('Only documents that have all of them.'),
      })
      .optional()
      .describe('What narrows the search.'),
  }),
  effect: 'read',
  timeoutSeconds: 60,
  inline: true,
  permission: 'knowledge_bases',
  label: ({ query }) => `Searching knowledge: ${query.slice(0, 100)}`,
  run: async ({ query, knowledge_base_ids: named, top_k: limit = DEFAULT_RESULTS, filters }, { knowledge }) => {
    const { bases, passages, meaning } = await knowledge.search({ query, bases: named, limit, tags: filters?.tags });
    const value = {
      results: passages.map(present),
      searched_by: searchedBy(meaning),
      ...(meaning.reason !== null && { not_all_by_meaning: meaning.reason }),
      searched: bases.slice(0, MAX_NAMED).map(({ id, name, description }) => ({ id, name, description })),
    };
    return { value, isForeign: true };
  },
});

function present({ knowledgeBaseName, documentTitle, documentId, position, heading, text, url }: FoundPassage) {
  return {
    text,
    document: documentTitle,
    ...(heading !== '' && { heading }),
    ...(url !== null && { url }),
    knowledge_base: knowledgeBaseName,
    document_id: documentId,
    position,
  };
}
