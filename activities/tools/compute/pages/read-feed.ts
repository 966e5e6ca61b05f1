import { parseFeed } from 'feedsmith';
import { plainText } from '../../../core/documents/plain-text.ts';

/** A feed as it was received. */
export interface FeedRequest {
  readonly text: string;
  /** Where it was found; relative addresses in it are taken from there. */
  readonly url: string;
  /** Entries before this time are left out, in milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly limit: number;
}

/** An entry of a feed. What it does not say is null. */
export interface FeedEntry {
  readonly title: string | null;
  readonly url: string | null;
  /** ISO 8601; as the feed writes it when that is no time. */
  readonly published_at: string | null;
  readonly author: string | null;
  readonly summary: string | null;
}

/** The content of a feed. */
export interface ReadFeed {
  readonly format: string;
  readonly title: string | null;
  /** The newest first where they have times, else in their order. */
  readonly entries: readonly FeedEntry[];
  /** How many there are, those left out by `limit` among them. */
  readonly total: number;
}

/** An entry of any of the formats, with the members that are read here. */
interface AnyEntry {
  readonly title?: unknown;
  readonly link?: unknown;
  readonly links?: readonly { readonly href?: string; readonly rel?: string }[];
  readonly url?: unknown;
  readonly external_url?: unknown;
  readonly pubDate?: unknown;
  readonly published?: unknown;
  readonly updated?: unknown;
  readonly date_published?: unknown;
  readonly dc?: { readonly date?: unknown; readonly dates?: readonly unknown[]; readonly creator?: unknown };
  readonly authors?: readonly unknown[];
  readonly description?: unknown;
  readonly summary?: unknown;
  readonly content?: unknown;
  readonly content_text?: unknown;
  readonly content_html?: unknown;
}

const MAX_LINE = 500;
const MAX_SUMMARY = 1_000;
/** How much of a description is read: some feeds contain whole articles. */
const MAX_MARKUP = 20_000;

/** Returns the entries of an RSS, Atom, RDF or JSON feed. Throws an `Error` in words when it is none. */
export function readFeed({ text, url, sinceMs, limit }: FeedRequest): ReadFeed {
  const { format, feed } = parsed(text);
  const { title, items, entries } = feed as { title?: unknown; items?: AnyEntry[]; entries?: AnyEntry[] };
  const all = (items ?? entries ?? []).map((entry) => presentEntry(entry, url));
  const wanted = sinceMs === undefined ? all : all.filter((entry) => timeOf(entry) >= sinceMs);
  const newestFirst = wanted.toSorted((one, other) => timeOf(other) - timeOf(one) || 0);
  return { format, title: lineOf(title), entries: newestFirst.slice(0, limit), total: wanted.length };
}

function parsed(text: string) {
  try {
    return parseFeed(text);
  } catch {
    throw new Error('The address answers no RSS, Atom or JSON feed');
  }
}

function presentEntry(entry: AnyEntry, base: string): FeedEntry {
  return {
    title: lineOf(entry.title),
    url: addressOf(entry, base),
    published_at: publishedAt(entry),
    author: authorOf(entry),
    summary: summaryOf(entry),
  };
}

function addressOf(entry: AnyEntry, base: string): string | null {
  const alternate = entry.links?.find(({ rel = 'alternate' }) => rel === 'alternate') ?? entry.links?.[0];
  const address = lineOf(entry.link) ?? lineOf(entry.url) ?? lineOf(entry.external_url) ?? lineOf(alternate?.href);
  return address === null ? null : (URL.parse(address, base)?.href ?? address);
}

function publishedAt({ pubDate, published, updated, date_published: datePublished, dc }: AnyEntry): string | null {
  const given = [pubDate, published, datePublished, updated, dc?.date, dc?.dates?.[0]].map(lineOf);
  const text = given.find((each) => each !== null) ?? null;
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

function authorOf({ authors, dc }: AnyEntry): string | null {
  const [first] = authors ?? [];
  const name = typeof first === 'object' && first !== null && 'name' in first ? first.name : first;
  return lineOf(name) ?? lineOf(dc?.creator);
}

function summaryOf(entry: AnyEntry): string | null {
  const { summary, description, content, content_text: plain, content_html: markup } = entry;
  const inner = typeof content === 'object' && content !== null && 'encoded' in content ? content.encoded : content;
  const text = [summary, description, plain, markup, inner].map(textOf).find((each) => each !== '') ?? '';
  return text === '' ? null : shortened(plainText(text.slice(0, MAX_MARKUP)), MAX_SUMMARY);
}

// In Atom, the type of a text is an attribute beside it.
function textOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  return typeof text === 'string' ? text : '';
}

function lineOf(value: unknown): string | null {
  const line = textOf(value).replaceAll(/\s+/g, ' ').trim();
  return line === '' ? null : shortened(line, MAX_LINE);
}

function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text;
}

// Entries without a time come last, and are left out where one is asked for.
function timeOf({ published_at: text }: FeedEntry): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
