import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { addressLabel } from './address-label.ts';
import { scrapeSite } from './scrape-site.ts';

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
export type ScrapeArguments = z.output<typeof parameters>;

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
