import { z } from 'zod';
import { type FoundPassage, searchedBy } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
const MAX_NAMED = 50;

/** Searches the knowledge bases of the agent. What is found was written by anybody, and is marked as such. */
export const knowledgeSearch = defineTool({
  key: 'knowledge_search',
  name: 'Search knowledge',
  description:
    'Searches the knowledge bases of the organization, which hold its own documents, by words and by meaning, and answers the passages that fit best, with their sources. ' +
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
      .describe('Ids or names of the knowledge bases to search; all of yours when left out.'),
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
