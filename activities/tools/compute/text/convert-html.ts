import { gfm } from '@joplin/turndown-plugin-gfm';
import sanitizeHtml from 'sanitize-html';
import { markdownConverter } from '../pages/markdown-converter.ts';
import { plainText } from '../../../core/documents/plain-text.ts';
import type { TextFormat } from '../documents/document-job.ts';

const MAX_CHARACTERS = 1_900_000;

/** The allowed HTML: text with headings, lists, tables, links and pictures, and no scripts. */
const CLEAN: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'input'],
  allowedAttributes: {
    a: ['href', 'title', 'id'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    code: ['class'],
    input: ['type', 'checked', 'disabled'],
    ol: ['start'],
    td: ['align', 'colspan', 'rowspan'],
    th: ['align', 'colspan', 'rowspan'],
  },
  allowedClasses: { code: [/^language-[\w+-]{1,40}$/] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs['type'] !== 'checkbox',
  nestingLimit: 200,
};

/** Converts HTML. Nothing of it runs or is kept that could run. */
export function convertHtml(html: string, to: TextFormat, { keepsAddresses = false } = {}): string {
  const clean = sanitizeHtml(html, CLEAN);
  if (to === 'html') return cut(clean.trim());
  return cut(to === 'text' ? plainText(clean, { keepsAddresses }) : toMarkdown(clean));
}

function toMarkdown(html: string): string {
  return markdownConverter().use(gfm).turndown(html).trim();
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}\n[The text continues. Only its first ${MAX_CHARACTERS} characters are given.]`;
}
