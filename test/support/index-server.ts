import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { writeArchive } from '../../definition-files/index.ts';
import { LocalServer } from './local-server.ts';

/** What a server answers: a body, or what it does with the response. */
type Answer = string | Buffer | ((response: ServerResponse, request: IncomingMessage) => void);

/** A server of a marketplace index and its items. */
export class IndexServer extends LocalServer {
  /** By path. */
  readonly answers = new Map<string, Answer>();
  /** The paths that were asked for, and with which credentials. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[] = [];

  static async start(): Promise<IndexServer> {
    return new IndexServer().listen();
  }

  /** Offers items under `/index.json`; each is listed as it is given, and served when it has an archive. */
  offer(...items: object[]): void {
    for (const item of items) {
      if (isListed(item)) this.answers.set(`/${item.entry.url}`, item.archive);
    }
    const entries = items.map((item) => (isListed(item) ? item.entry : item));
    this.answers.set('/index.json', JSON.stringify({ version: 1, items: entries }));
  }

  protected serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.seen.push({ path, authorization: request.headers.authorization });
    const answer = this.answers.get(path);
    if (answer === undefined) response.writeHead(404).end('not here');
    else if (typeof answer === 'function') answer(response, request);
    else response.end(answer);
  }
}

/** An item with its archive, and how an index lists it. */
export interface ListedItem {
  readonly entry: { readonly slug: string; readonly version: string; readonly url: string; readonly sha256: string };
  readonly archive: Buffer;
}

function isListed(item: object): item is ListedItem {
  return 'archive' in item;
}

interface SampleItem {
  readonly slug: string;
  readonly version?: string;
  /** Beside `item.json` and `README.md`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly kind?: string;
}

/** Makes an item that brings a skill. */
export async function sampleItem({ slug, version = '1.0.0', files, kind = 'skill' }: SampleItem): Promise<ListedItem> {
  const key = slug.replaceAll('-', '_');
  const item = { name: `Item ${slug}`, kind, version, summary: `Does ${slug}`, tags: ['sample'] };
  const skill = {
    [`skills/${key}/SKILL.md`]: `---\nname: ${slug}\ndescription: Does it.\n---\n\nVersion ${version}.\n`,
  };
  const all = { 'item.json': JSON.stringify(item), 'README.md': `# ${slug}`, ...(files ?? skill) };
  const archive = await buffer(writeArchive(slug, new Map(Object.entries(all))));
  return { entry: { slug, version, url: `${slug}-${version}.zip`, sha256: sha256Of(archive) }, archive };
}

/** Returns the digest of an archive, as an index says it. */
export function sha256Of(archive: Buffer): string {
  return createHash('sha256').update(archive).digest('hex');
}
