import { z } from 'zod';
import { DOCUMENT_SOURCES, DOCUMENT_STATUSES } from '../../db/knowledge-bases/documents.ts';
import { MAX_FOUND_PASSAGES, SEARCH_KINDS } from '../../db/knowledge-bases/search/search-passages.ts';
import { mayEmbed } from '../../builtin/index.ts';
import { AUTO, OFF, parseEmbeddingModel } from '../../domain/embeddings.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { isLongEnough } from '../../domain/search.ts';
import { EXAMPLE_ID, pageParams, queryInt, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_TEXT = 500_000;
const tags = z.array(nameText(50)).max(20);

const fields = {
  name: nameText(),
  description: text(5_000).meta({
    description: 'What its documents are about; agents read it when they decide where to search',
  }),
  embedding_model: text(300)
    .refine((name) => name === AUTO || name === OFF || mayEmbed(parseEmbeddingModel(name)?.providerType ?? ''), {
      error: 'must be `auto`, `off`, or a provider type that serves embeddings, a slash and a model',
    })
    .meta({
      description:
        'The embedding model for search by meaning: a provider type, a slash and a model; `auto` for the first that the shared accounts of the organization offer, `off` for keyword search only. Texts and queries are sent to its provider.',
    }),
};

export const newKnowledgeBaseSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    embedding_model: fields.embedding_model.default(AUTO),
  })
  .meta({ id: 'KnowledgeBaseCreate', examples: [{ name: 'Handbook', description: 'How we work.' }] });

export const knowledgeBaseChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'KnowledgeBaseUpdate', examples: [{ name: 'Staff handbook' }] });

const embeddingSchema = z
  .object({
    status: z.enum(['off', 'working', 'waiting', 'ready']).meta({
      description:
        '`working` while some passages have no embedding yet, `waiting`, with `error`, when none can be computed for now; searches compare the passages that have one',
    }),
    model: z.string().nullable().meta({ description: 'The model that is in use' }),
    dimensions: z.int().nullable(),
    passages: z.int().meta({ description: 'The number of passages with an embedding of this model' }),
    tokens: z.int().meta({ description: 'Tokens used by embeddings and searches since the knowledge base was added' }),
    cost: z.number().nullable().meta({ description: 'In US dollars, at catalog prices; null while no price is known' }),
    error: z.string().nullable().meta({ description: 'Why no embeddings can be computed for now' }),
  })
  .meta({ id: 'KnowledgeBaseEmbedding' });

export const knowledgeBaseSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    documents: z.int().meta({ description: 'The number of documents' }),
    passages: z.int().meta({ description: 'The number of passages of all ready documents' }),
    bytes: z.int().meta({ description: 'The total size of the texts of its documents' }),
    embedding_model: z.string(),
    embedding: embeddingSchema,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'KnowledgeBase' });

export const newDocumentSchema = z
  .strictObject({
    title: nameText().optional().meta({
      description: "Its name in search results; defaults to the first line of the text, the file's name or the URL",
    }),
    tags: tags.default([]).meta({ description: 'Tags to narrow searches by' }),
    text: text(MAX_TEXT)
      .refine((given) => given.trim() !== '', 'must not be blank')
      .optional()
      .meta({ description: 'The document itself, as plain text or Markdown' }),
    file_id: idOf('files').optional().meta({
      description: 'A file of a chat that you may read; the text extracted at its upload is copied',
    }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .meta({
        description:
          'A public URL, whose content is fetched once. With a text or a file, it is only shown as the source',
      }),
  })
  .refine(({ text, file_id: fileId, url }) => (text ?? fileId ?? url) !== undefined, {
    error: 'text, file_id or url must be given',
  })
  .refine(({ text, file_id: fileId }) => text === undefined || fileId === undefined, {
    error: 'text and file_id exclude each other',
  })
  .meta({
    id: 'KnowledgeDocumentCreate',
    examples: [{ title: 'Expenses', text: '# Expenses\n\nMeals are refunded up to 40 euros a day.', tags: ['money'] }],
  });

export const uploadedDocumentQuery = z.strictObject({
  title: nameText().optional().meta({ description: 'Its name in search results; defaults to the name of the file' }),
  tags: text(1_100)
    .transform((list) => list.split(',').flatMap((each) => each.trim() || []))
    .pipe(tags.min(1, 'must name a tag'))
    .optional()
    .meta({
      type: 'string',
      minLength: 1,
      description: 'Tags to narrow the search, separated by commas',
      examples: ['money,travel'],
    }),
});

export const documentSchema = z
  .object({
    id: z.uuid(),
    knowledge_base_id: z.uuid(),
    user_id: z.uuid().nullable().meta({ description: 'Who added it; null when the account was deleted' }),
    title: z.string(),
    source: z.enum(DOCUMENT_SOURCES).meta({
      description:
        'Where it came from: `upload` is a file that was added to the knowledge base directly and can be downloaded',
    }),
    url: z.string().nullable(),
    file_id: z.uuid().nullable(),
    tags: z.string().array(),
    status: z.enum(DOCUMENT_STATUSES).meta({
      description:
        '`pending` until processing starts, then `processing`; `ready` once searches find it; `failed`, with `error`, when it could not be read',
    }),
    error: z.string().nullable().meta({ description: 'Why it could not be read' }),
    characters: z.int().nullable().meta({ description: 'The length of its text; null until it has been read' }),
    passages: z.int().meta({ description: 'The number of passages' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'KnowledgeDocument' });

export const documentQuery = z.strictObject({
  ...pageParams,
  status: z.enum(DOCUMENT_STATUSES).optional().meta({ description: 'Only documents in this state' }),
});

export const passageQuery = z.strictObject({
  q: text(2_000)
    .refine(isLongEnough, 'must have at least 2 characters')
    .meta({
      minLength: 1,
      description:
        'Words or a question of at least two characters; one is enough in Chinese, Japanese and other scripts without spaces. Only the first 20 words count; rare words weigh more, and a passage need not contain all of them.',
      examples: ['what is refunded when travelling'],
    }),
  top_k: queryInt(1, MAX_FOUND_PASSAGES)
    .default(10)
    .meta({ type: 'integer', default: 10, description: 'The maximum number of passages to return' }),
});

const passageSchema = z
  .object({
    knowledge_base_id: z.uuid(),
    knowledge_base_name: z.string(),
    document_id: z.uuid(),
    document_title: z.string(),
    source: z.enum(DOCUMENT_SOURCES),
    url: z.string().nullable(),
    file_id: z.uuid().nullable(),
    position: z.int().meta({ description: 'Its index among the passages of the document, from 0' }),
    heading: z.string().meta({ description: 'The headings above it, outermost first' }),
    start: z.int().meta({ description: 'Where it begins in the text of the document, in UTF-16 units' }),
    end: z.int().meta({ description: 'Where it ends' }),
    text: z.string(),
    score: z.number().meta({ description: 'Its relevance, relative to the other results of this response' }),
    found_by: z.enum(SEARCH_KINDS).array().meta({ description: 'Which kind of search found it' }),
  })
  .meta({ id: 'FoundPassage' });

const meaningSchema = z
  .object({
    search: z.enum(['exact', 'off']).meta({
      description: '`exact`: the query was compared with each passage; `off`: only keywords were used',
    }),
    compared: z.int().meta({ description: 'The number of passages compared' }),
    passages: z.int().meta({ description: 'The number of passages in the knowledge base' }),
    reason: z.string().nullable().meta({ description: 'Why not all of them were compared' }),
  })
  .meta({ id: 'SearchByMeaning' });

export const foundPassagesSchema = z
  .object({
    results: passageSchema.array().meta({ description: 'The best first' }),
    query: z.string(),
    searched_by: z.enum(SEARCH_KINDS).array().meta({ description: 'How passages were searched' }),
    meaning: meaningSchema,
  })
  .meta({
    id: 'FoundPassages',
    examples: [
      {
        results: [
          {
            knowledge_base_id: EXAMPLE_ID,
            knowledge_base_name: 'Handbook',
            document_id: EXAMPLE_ID,
            document_title: 'Expenses',
            source: 'text',
            url: null,
            file_id: null,
            position: 0,
            heading: 'Expenses',
            start: 0,
            end: 53,
            text: '# Expenses\n\nMeals are refunded up to 40 euros a day.',
            score: 0.033,
            found_by: ['words', 'meaning'],
          },
        ],
        query: 'what is refunded when travelling',
        searched_by: ['words', 'meaning'],
        meaning: { search: 'exact', compared: 1, passages: 1, reason: null },
      },
    ],
  });
