import type { PageLink, ReadPage, ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type FetchedText, fetchText } from './fetch-text.ts';
import { robotRules } from './robot-rules.ts';
import type { ScrapeArguments } from './web-scrape.ts';

const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_MS = 30_000;
const READ_MS = 10_000;
const SHOWN_LINKS = 100;
const ACCEPT = 'text/html, application/xhtml+xml, text/plain;q=0.8, */*;q=0.5';
const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml', '']);
const OTHER_TEXT = /^text\/|[/+](?:json|xml|yaml)$/;
/** What is no page, by the end of its path: such links are not followed. */
const FILE = /\.(?:pdf|zip|gz|tar|7z|exe|dmg|png|jpe?g|gif|svg|webp|mp[34]|webm|avi|mov|docx?|xlsx?|pptx?|css|js)$/i;

/**
 * Reads a page and, as long as fewer than wanted are read, those of the same origin that pages link to, in the order of
 * the links. Returns their texts one after the other. Throws a `ToolFailure` when the first one cannot be read; others
 * are named with what is wrong.
 */
export async function scrapeSite(args: ScrapeArguments, context: ToolContext): Promise<string> {
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
