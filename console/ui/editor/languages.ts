import type { Extension } from '@codemirror/state';

/** A language that an editor knows; plain text has no colours. */
export type EditorLanguage = 'markdown' | 'json' | 'javascript' | 'plain';

const LOADERS: Readonly<Record<EditorLanguage, () => Promise<Extension>>> = {
  markdown: async () => (await import('@codemirror/lang-markdown')).markdown(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  plain: async () => Promise.resolve([]),
};

/** Loads what an editor knows of a language. */
export async function loadLanguage(language: EditorLanguage): Promise<Extension> {
  return LOADERS[language]();
}
