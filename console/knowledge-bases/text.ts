import { count, formatBytes, formatDollars, formatNumber } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of knowledge bases say, in the language of the page. */
export const useKnowledgeText = ownText({
  en: {
    title: 'Knowledge bases',
    lead: 'Documents that people can search, and agents with the tool knowledge_search.',
    add: 'Add a knowledge base',
    added: (name: string) => `${name} was added`,
    empty: 'No knowledge base yet',
    emptyWhy: 'Add what agents should know: handbooks, policies, notes. They find the passages that answer a question.',
    filter: 'Filter by name',
    none: 'No knowledge base has this in its name or description.',
    name: 'Name',
    content: 'Content',
    contentOf: (documents: number, bytes: number) =>
      `${count(documents, 'document', 'documents')}, ${formatBytes(bytes)}`,
    meaning: 'By meaning',
    changed: 'Changed',
    back: 'Knowledge bases',
    tabs: { label: 'Parts of the knowledge base', documents: 'Documents', search: 'Search', settings: 'Settings' },
    embedding: {
      off: 'words alone',
      working: 'being prepared',
      waiting: 'waiting',
      ready: 'ready',
      waitingWhy: (error: string) => `Only keywords are searched for now: ${error}`,
      progress: (done: number, all: number) => `${formatNumber(done)} of ${count(all, 'passage', 'passages')}`,
    },
    fields: {
      description: 'Description',
      descriptionHint: 'What its documents are about. Agents read it when they decide where to search.',
      model: 'Search by meaning',
      modelHint:
        'auto uses the first model that the shared accounts offer, off searches by keyword only; or a provider and a model, such as openai/text-embedding-3-small. Texts and queries are sent to that provider.',
    },
    documents: {
      lead: 'Passages can be found as soon as a document is ready.',
      chooseFiles: 'Choose files',
      drop: 'Drop files to add them as documents',
      uploads: 'Files that are uploaded',
      add: 'Add a document',
      added: (name: string) => `${name} was added and is being read`,
      empty: 'No document yet',
      emptyWhy:
        'Drop files here, such as PDF, Word, Excel, Markdown or text, or add a text or the URL of a page. They are split into passages that can be searched.',
      name: 'Document',
      state: 'State',
      size: 'Content',
      sizeOf: (characters: number | null, passages: number) =>
        characters === null
          ? '–'
          : `${count(characters, 'character', 'characters')}, ${count(passages, 'passage', 'passages')}`,
      addedAt: 'Added',
      actions: 'Actions',
      status: { pending: 'waits to be read', processing: 'being read', ready: 'ready', failed: 'failed' },
      sources: { text: 'Text', file: 'File of a chat', upload: 'File', url: 'Page' },
      downloadNamed: (name: string) => `Download ${name}`,
      remove: 'Delete',
      removeNamed: (name: string) => `Delete ${name}`,
      removeAsk: (name: string) => `Delete ${name}?`,
      removeWhy: 'Its text and passages are removed. This cannot be undone.',
      removed: (name: string) => `${name} was deleted`,
    },
    form: {
      source: 'What is added',
      sources: { text: 'A text', url: 'The address of a page' },
      title: 'Title',
      titleHint: 'Defaults to the first line of the text, or the URL.',
      text: 'Text',
      textHint: 'Plain text or Markdown, 500,000 characters at most.',
      url: 'Address',
      urlHint: 'Public, http or https. It is fetched once, 10 MB at most.',
      tags: 'Tags',
      tagsHint: 'Separated by commas, 20 at most.',
    },
    search: {
      tooShort: 'Write at least two characters.',
      field: 'Search for',
      hint: 'Words or a question, at least 2 characters. Use quotation marks for an exact phrase.',
      find: 'Search',
      none: 'Nothing found',
      noneWhy: 'No passage of a ready document contains any of these words.',
      found: (n: number) => count(n, 'passage', 'passages'),
      foundBy: { words: 'by words', meaning: 'by meaning' },
      notAll: (reason: string) => `Not all passages were compared by meaning: ${reason}`,
      source: 'Where it comes from',
    },
    settings: {
      save: 'Save',
      saved: (name: string) => `${name} was saved`,
      remodel: 'With another model, all passages are embedded again.',
      used: 'Used for search by meaning',
      usedOf: (tokens: number, cost: number | null) =>
        cost === null
          ? count(tokens, 'token', 'tokens')
          : `${count(tokens, 'token', 'tokens')}, ${formatDollars(cost)}`,
      model: 'Model in use',
      noModel: 'none',
      removeTitle: 'Delete the knowledge base',
      removeWhy: 'All its documents are deleted permanently. Agents can no longer search it.',
      remove: 'Delete permanently',
      removeAsk: (name: string) => `Delete ${name}?`,
      removed: (name: string) => `${name} was deleted`,
    },
  },
});

/** What the pages of knowledge bases say. */
export type KnowledgeText = ReturnType<typeof useKnowledgeText>;
