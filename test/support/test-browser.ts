import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe } from '@jest/globals';
import { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import { Browser, type VisitAnswer } from '../../activities/sandbox/browser/browser.ts';
import type { Visit } from '../../activities/sandbox/browser/visit.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { sharedServices } from './shared-services.ts';
import { openTestSandbox } from './test-sandbox.ts';

/** Describes what needs a browser; it is skipped, and says why, where there is none. */
export function describeBrowsing(title: string, tests: () => void): void {
  const { bwrap, chromium } = sharedServices();
  const missing = 'missing' in bwrap ? bwrap.missing : 'missing' in chromium ? chromium.missing : undefined;
  if (missing === undefined) describe(title, tests);
  // oxlint-disable-next-line jest/no-disabled-tests
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}

/** The site that pages of a test may reach, and nothing else. */
const SITE = '127.0.0.4';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A browser of a test, and the one site that it reaches. */
export interface TestBrowser {
  readonly browser: Browser;
  readonly site: string;
  /** The port of the site, which the gateway takes for that of http at every address. */
  readonly port: number;
  /** What the site answers, by path. */
  readonly pages: Map<string, string | Answer>;
  /** The requests that the site has seen: method, path, and body if there is one. */
  readonly seen: string[];
  /** The last headers of each path. */
  readonly headers: Map<string, IncomingMessage['headers']>;
  readonly server: ReturnType<typeof createServer>;
  visit(visit: Partial<Visit>): Promise<VisitAnswer>;
  close(): Promise<void>;
}

/** Opens a browser as the worker does. The site listens on a free port, since that of http needs rights. */
export async function openTestBrowser(memory = 1024 ** 3): Promise<TestBrowser> {
  const pages = new Map<string, string | Answer>();
  const seen: string[] = [];
  const headers = new Map<string, IncomingMessage['headers']>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', `http://${SITE}`);
      seen.push([request.method, request.url, body].filter(Boolean).join(' '));
      headers.set(pathname, request.headers);
      const page = pages.get(pathname);
      if (typeof page === 'function') page(response, request);
      else response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page);
    });
  });
  server.listen(0, SITE);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const guarded = createGuardedFetch(parsePrivateHosts(`${SITE}:${port}`));
  const box = await openTestSandbox({ limits: { memory, processes: 64, temporary: 256 * 1024 ** 2 } });
  const browser = new Browser(box.sandbox, { connect: async (host) => guarded.connect(host, port) });
  const visit: TestBrowser['visit'] = async (wanted) => {
    const whole = { steps: [], output: 'text', viewport: { width: 800, height: 600 }, timeoutMs: 30_000 } as const;
    const use = { orgId: 'org', signal: new AbortController().signal };
    const ending = await browser.visit({ ...whole, url: `http://${SITE}/`, ...wanted }, use);
    if ('answer' in ending) return ending.answer;
    throw new Error(`ended for ${ending.killedFor}`);
  };
  return {
    browser,
    site: `http://${SITE}`,
    port,
    pages,
    seen,
    headers,
    server,
    visit,
    close: async () => {
      await box.close();
      await guarded.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
