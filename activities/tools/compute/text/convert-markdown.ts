import { Marked } from 'marked';
import { readText } from '../../../core/texts/read-text.ts';
import type { MarkdownJob } from '../job.ts';
import { convertHtml } from './convert-html.ts';

/** How much of a text says which format it has. */
const SNIFFED = 1_000;
const HTML = /^\s*<(?:!doctype|!--|[a-z][a-z0-9-]*[\s/>])/i;

/** Converts HTML or Markdown, whichever the text is, to Markdown, clean HTML or text. */
export function convertMarkdown({ content, isMarkdown = false, to, keepsAddresses = false }: MarkdownJob): string {
  const text = readText(Buffer.from(content, 'base64')).text;
  if (text.includes('\u0000')) throw new Error('The file is not text');
  if (!isMarkdown && HTML.test(text.slice(0, SNIFFED))) return convertHtml(text, to, { keepsAddresses });
  return convertHtml(new Marked({ gfm: true }).parse(text, { async: false }), to, { keepsAddresses });
}
