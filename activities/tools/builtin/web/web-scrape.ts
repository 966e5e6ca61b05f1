import { z } from 'zod';
import { type PageLink, type ReadPage, type ToolContext, USER_AGENT } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { addressLabel, type FetchedText, fetchText } from './fetch-text.ts';

const MAX_PAGES = 10;

const parameters = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Address of the page.'),
  selector: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('CSS selector of the parts that are wanted; the readable text of the page when left out.'),
  format: z.enum(['markdown', 'text', 'html']).optional().describe('Markdown when left out.'),
  max_pages: z
    .int()
    .min(1)
    .max(MAX_PAGES)
    .optional()
    .describe('Follows links on the same site until so many pages are read; 1 when left out.'),
  include_links: z.boolean().optional().describe("Whether the page's links are listed after its text."),
});

/** Arguments of `web_scrape`. */
type ScrapeArguments = z.output<typeof parameters>;

/** Reads a page, and pages of the same site that it links to. */
export const webScrape = defineTool({
  key: 'web_scrape',
  name: 'Read a web page',
  description:
    'Fetches a web page and answers its readable text with title, author and date, without menus and advertisements. ' +
    'Scripts of the page are not run. For APIs and files use `http_request`.',
  category: 'web',
  parameters,
  effect: 'read',
  timeoutSeconds: 150,
  label: ({ url }) => `Reading ${addressLabel(url)}`,
  run: async (args, context) => ({ value: await scrapeSite(args, context), isForeign: true }),
});

const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_MS = 30_000;
const READ_MS = 10_000;
const SHOWN_LINKS = 100;
const ACCEPT = 'text/html, application/xhtml+xml, text/plain;q=0.8, */*;q=0.5';
const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml', '']);
const OTHER_TEXT = /^text\/|[/+](?:json|xml|yaml)$/;
/** Paths of files that are no pages: such links are not followed. */
const FILE = /\.(?:pdf|zip|gz|tar|7z|exe|dmg|png|jpe?g|gif|svg|webp|mp[34]|webm|avi|mov|docx?|xlsx?|pptx?|css|js)$/i;

/**
 * Reads a page and, as long as fewer than wanted are read, those of the same origin that pages link to, in the order of
 * the links. Returns their texts one after the other. Throws a `ToolFailure` when the first one cannot be read; others
 * are named with what is wrong.
 */
async function scrapeSite(args: ScrapeArguments, context: ToolContext): Promise<string> {
  const site = { args, context, mayVisit: robotRules(context), seen: new Set([args.url]) };
  const first = await visit(args.url, site);
  const shown = [present(first, args)];
  const waiting = [...(await followable(first, site))];
  while (shown.length < (args.max_pages ?? 1)) {
    const next = waiting.shift();
    if (next === undefined) break;
    const page = await visit(next, site).catch((error: unknown) => {
      if (error instanceof ToolFailure) return error;
      throw error;
    });
    if (page instanceof ToolFailure) {
      shown.push(`# ${next}\n\n[Not read: ${page.message}]`);
      continue;
    }
    shown.push(present(page, args));
    waiting.push(...(await followable(page, site)));
  }
  return shown.join('\n\n---\n\n');
}

/** A page that was read. */
interface VisitedPage extends ReadPage, Pick<FetchedText, 'url' | 'isTruncated' | 'notice'> {}

/** A call, and what it has found so far. */
interface Site {
  readonly args: ScrapeArguments;
  readonly context: ToolContext;
  readonly mayVisit: ReturnType<typeof robotRules>;
  /** Addresses that were read, or wait for it. */
  readonly seen: Set<string>;
}

async function visit(url: string, { args, context, mayVisit }: Site): Promise<VisitedPage> {
  const { format = 'markdown', selector } = args;
  if ((await mayVisit([url])).length === 0)
    throw new ToolFailure('denied', "The site's robots.txt does not let programs read this address");
  const found = await fetchText(
    { url, headers: { accept: ACCEPT }, timeoutMs: PAGE_MS, maxBytes: PAGE_BYTES },
    context,
  );
  const { isTruncated, notice } = found;
  if (!HTML.has(found.type)) return { ...asItIs(found), isTruncated, notice };
  const job = { kind: 'page', html: found.text, url: found.url, format, selector } as const;
  const page = JSON.parse(await context.compute(job, { limitMs: READ_MS })) as ReadPage;
  if (selector !== undefined && page.text === '')
    throw new ToolFailure('not_found', 'Nothing on the page matches selector');
  return { ...page, url: found.url, isTruncated, notice };
}

function asItIs({ text, type, url }: FetchedText): ReadPage & { readonly url: string } {
  if (!OTHER_TEXT.test(type))
    throw new ToolFailure(
      'invalid_input',
      `The address answers no page but ${type.slice(0, 100)}; use http_request for files`,
    );
  return { title: '', description: '', published: '', author: '', text, links: [], url };
}

async function followable(page: VisitedPage, { seen, mayVisit }: Site): Promise<readonly string[]> {
  seen.add(page.url);
  const { origin } = new URL(page.url);
  const isNew = ({ url }: PageLink) =>
    !seen.has(url) && URL.parse(url)?.origin === origin && !FILE.test(new URL(url).pathname);
  const links = page.links.filter(isNew).map(({ url }) => url);
  for (const link of links) seen.add(link);
  return mayVisit(links);
}

function present(page: VisitedPage, { include_links: hasLinks = false }: ScrapeArguments): string {
  const head = [
    page.title === '' ? '' : `# ${page.title}`,
    `address: ${page.url}`,
    ...(['author', 'published', 'description'] as const).map((name) =>
      page[name] === '' ? '' : `${name}: ${page[name]}`,
    ),
  ].filter((line) => line !== '');
  const cut = page.isTruncated ? '\n\n[The page is longer than 2 MB; the rest was not read.]' : '';
  const links =
    hasLinks && page.links.length > 0
      ? `\n\n## Links\n\n${page.links.slice(0, SHOWN_LINKS).map(toItem).join('\n')}`
      : '';
  const notice = page.notice === undefined ? '' : `\n\n${page.notice}`;
  return `${head.join('\n')}\n\n${page.text}${cut}${notice}${links}`;
}

function toItem({ text, url }: PageLink): string {
  return `- [${text.replaceAll(/[[\]]/g, ' ')}](${url})`;
}

const MAX_BYTES = 500 * 1024;
const FETCH_MS = 10_000;

/**
 * Returns the predicate for which addresses of one origin its `robots.txt` lets a program visit. The rules of an
 * origin are read once, and kept for one call only: a site may change its mind.
 */
function robotRules(context: ToolContext): (urls: readonly string[]) => Promise<readonly string[]> {
  const read = new Map<string, Promise<string>>();
  return async (urls) => {
    const origin = URL.parse(urls[0] ?? '')?.origin;
    if (origin === undefined || origin === 'null') return urls;
    const robotsUrl = `${origin}/robots.txt`;
    const known = read.get(origin) ?? readRobots(robotsUrl, context);
    read.set(origin, known);
    const robots = await known;
    if (robots === '') return urls;
    const job = { kind: 'may_visit', robots, robotsUrl, userAgent: USER_AGENT, urls } as const;
    return JSON.parse(await context.compute(job, { limitMs: READ_MS })) as string[];
  };
}

// A site without rules, or whose rules cannot be read, forbids nothing; the request for the page shows what is wrong.
async function readRobots(url: string, context: ToolContext): Promise<string> {
  try {
    const { text, type } = await fetchText({ url, timeoutMs: FETCH_MS, maxBytes: MAX_BYTES }, context);
    return type === 'text/html' ? '' : text;
  } catch (error) {
    if (error instanceof ToolFailure) return '';
    throw error;
  }
}
