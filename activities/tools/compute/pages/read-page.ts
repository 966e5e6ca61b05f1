import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { markdownConverter } from './markdown-converter.ts';
import { plainText } from '../../../core/documents/plain-text.ts';

/** How the text of a page is wanted. */
export type PageFormat = 'markdown' | 'text' | 'html';

/** A page, and what of it is wanted. */
export interface PageRequest {
  readonly html: string;
  /** Where it was found; relative addresses in it are taken from there. */
  readonly url: string;
  readonly format: PageFormat;
  /** A CSS selector of the parts that are wanted; the readable text unless given. */
  readonly selector?: string | undefined;
}

/** A link of a page. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** The content of a page. */
export interface ReadPage {
  readonly title: string;
  readonly description: string;
  /** As the page writes it; '' when it says nothing. */
  readonly published: string;
  readonly author: string;
  readonly text: string;
  /** Links to pages by http and https, each address once, in their order. */
  readonly links: readonly PageLink[];
}

/** The used part of a document; the types of browsers are not among those of a service. */
interface PageDocument {
  readonly body: PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>;
}

interface PageElement {
  readonly innerHTML: string;
  readonly outerHTML: string;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

/** Readability compares each element with those around it. */
const MAX_ELEMENTS = 30_000;
const MAX_LINKS = 300;
const MAX_LINE = 500;
/** Elements that are no text of a page, or cannot be followed. */
const NO_TEXT = 'script, style, noscript, template, iframe, object, embed, svg, canvas';

/**
 * Returns the readable text of an HTML page, or of the parts that a selector names. Throws an `Error` in words for the
 * model when the selector is not valid.
 */
export function readPage({ html, url, format, selector }: PageRequest): ReadPage {
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const { document } = parseHTML(whole) as { document: PageDocument };
  const meta = (names: readonly string[]) => metaOf(document, names);
  const title = lineOf(meta(['og:title']) || (document.querySelector('title')?.textContent ?? ''));
  const head = {
    title,
    description: lineOf(meta(['description', 'og:description'])),
    published: lineOf(meta(['article:published_time', 'date', 'dc.date', 'og:updated_time'])),
    author: lineOf(meta(['author', 'article:author'])),
  };
  for (const element of document.querySelectorAll(NO_TEXT)) element.remove();
  makeAbsolute(document, baseOf(document, url));
  const links = linksOf(document, url);
  const parts = selector === undefined ? readableParts(document) : selectedParts(document, selector);
  return { ...head, links, text: formatted(parts.join('\n'), format) };
}

function metaOf(document: PageDocument, names: readonly string[]): string {
  for (const name of names) {
    const element = document.querySelector(`meta[name="${name}" i], meta[property="${name}" i]`);
    const content = element?.getAttribute('content')?.trim() ?? '';
    if (content !== '') return content;
  }
  return '';
}

function lineOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE).toWellFormed();
}

function baseOf(document: PageDocument, url: string): string {
  return URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url)?.href ?? url;
}

function makeAbsolute(document: PageDocument, base: string): void {
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const address = URL.parse(element.getAttribute(name) ?? '', base);
      if (address !== null && isWebAddress(address)) element.setAttribute(name, address.href);
      else element.removeAttribute(name);
    }
  }
}

function linksOf(document: PageDocument, url: string): PageLink[] {
  const links = new Map<string, PageLink>();
  for (const element of document.querySelectorAll('a[href]')) {
    const target = withoutFragment(element.getAttribute('href') ?? '');
    const text = lineOf(element.textContent);
    if (target === withoutFragment(url) || text === '' || links.has(target)) continue;
    links.set(target, { text, url: target });
    if (links.size === MAX_LINKS) break;
  }
  return [...links.values()];
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}

function isWebAddress({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

// A page without an article, such as a list or a form, is shown whole.
function readableParts(document: PageDocument): string[] {
  const whole = document.body.innerHTML;
  if (document.querySelectorAll('*').length > MAX_ELEMENTS) return [whole];
  const content = new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse()?.content ?? '';
  return [content === '' ? whole : content];
}

function selectedParts(document: PageDocument, selector: string): string[] {
  try {
    return Array.from(document.querySelectorAll(selector), ({ outerHTML }) => outerHTML);
  } catch {
    throw new Error('selector is not a valid CSS selector');
  }
}

function formatted(html: string, format: PageFormat): string {
  if (format === 'html') return html.trim();
  if (format === 'text') return plainText(html);
  return markdownConverter().turndown(html).trim();
}
