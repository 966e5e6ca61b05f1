import { json, type Reply, type SeenRequest } from '../outside-server.ts';

type Fields = Record<string, unknown>;

const MAX_CHILDREN = 100;
const MAX_TEXT = 2_000;
const LEVELS = 2;
const USER = { object: 'user', id: idOf(900) };

/** Refuses a request as Notion does. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Speaks the part of Notion's API that reads and writes pages, blocks, databases and comments, by its public
 * documentation: lists with cursors, and the limits of a request for blocks, their levels and texts.
 */
export class NotionApi {
  /** The blocks below a page or block. */
  readonly children = new Map<string, Fields[]>();
  readonly pages = new Map<string, Fields>();
  readonly comments: Fields[] = [];
  /** The properties of the one data source, whose database has the id before. */
  readonly source = {
    id: idOf(2),
    database: idOf(1),
    properties: {
      Name: { type: 'title' },
      Status: { type: 'status' },
      Tags: { type: 'multi_select' },
      Due: { type: 'date' },
    },
  };
  #made = 100;
  readonly #routes: Readonly<Record<string, (id: string, fields: Fields) => Fields>> = {
    'POST search': (_id, fields) => listOf([...this.pages.values()], fields),
    'GET pages': (id) => found(this.pages.get(id)),
    'POST pages': (_id, fields) => this.#createPage(fields),
    'PATCH pages': (id, fields) => this.#updatePage(id, fields),
    'GET blocks children': (id, fields) => listOf(this.children.get(id) ?? [], fields),
    'PATCH blocks children': (id, fields) => this.#append(id, fields),
    'GET databases': (id) => found(id === this.source.database ? this.#database() : undefined),
    'GET data_sources': (id) => found(id === this.source.id ? { object: 'data_source', ...this.source } : undefined),
    'POST data_sources query': (_id, fields) => listOf([...this.pages.values()], fields),
    'POST comments': (_id, fields) => this.#comment(fields),
  };

  readonly reply: Reply = (response, request) => {
    try {
      if (request.headers.authorization !== 'Bearer ntn_a-token-of-the-tests')
        throw new Refusal(401, 'unauthorized', 'API token is invalid.');
      if (request.headers['notion-version'] !== '2025-09-03')
        throw new Refusal(400, 'missing_version', 'Notion-Version header should be defined.');
      json(this.#answer(request))(response, request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      json({ object: 'error', status, code, message }, status)(response, request);
    }
  };

  addPage(parent: Fields, properties: Fields): Fields {
    const page = {
      object: 'page',
      id: this.#newId(),
      url: 'https://notion.so/x',
      last_edited_time: '2026-01-01T00:00:00.000Z',
      parent,
      properties: withTypes(properties, this.source.properties),
    };
    this.pages.set(page.id, page);
    return page;
  }

  #answer({ method, url, body }: SeenRequest): Fields {
    const { pathname, searchParams } = new URL(url, 'http://notion.test');
    const [, , kind = '', rawId = '', part] = pathname.split('/');
    const id = undashed(rawId);
    const fields = body === '' ? {} : (JSON.parse(body) as Fields);
    const route = this.#routes[`${method} ${kind}${part === undefined ? '' : ` ${part}`}`];
    if (route === undefined) throw new Refusal(400, 'invalid_request_url', 'Invalid request URL.');
    return route(id, method === 'GET' ? Object.fromEntries(searchParams) : fields);
  }

  #database(): Fields {
    const { id, database } = this.source;
    return { object: 'database', id: database, data_sources: [{ id, name: 'Tasks' }] };
  }

  #createPage({ parent, properties, children = [] }: Fields): Fields {
    const page = this.addPage(parent as Fields, properties as Fields);
    this.#append(String(page['id']), { children });
    return page;
  }

  #updatePage(id: string, { properties }: Fields): Fields {
    const page = found(this.pages.get(id));
    return Object.assign(page, {
      properties: { ...(page['properties'] as Fields), ...withTypes(properties as Fields, this.source.properties) },
    });
  }

  #append(id: string, { children }: Fields): Fields {
    checkChildren(children as Fields[], LEVELS);
    const added = (children as Fields[]).map((block) => this.#addBlock(block));
    this.children.set(id, [...(this.children.get(id) ?? []), ...added]);
    return { object: 'list', results: added, has_more: false, next_cursor: null };
  }

  #addBlock(block: Fields): Fields {
    const type = typeOf(block);
    const { children = [], ...content } = block[type] as Fields;
    const id = this.#newId();
    if ((children as Fields[]).length > 0)
      this.children.set(
        id,
        (children as Fields[]).map((each) => this.#addBlock(each)),
      );
    return { object: 'block', id, type, has_children: this.children.has(id), [type]: withPlainText(content) };
  }

  #comment(fields: Fields): Fields {
    const comment = { object: 'comment', id: this.#newId(), created_by: USER, ...withPlainText(fields) };
    this.comments.push(comment);
    return comment;
  }

  #newId(): string {
    this.#made += 1;
    return idOf(this.#made);
  }
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function undashed(id: string): string {
  return id.includes('-') ? id : id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function found(one: Fields | undefined): Fields {
  if (one === undefined) throw new Refusal(404, 'object_not_found', 'Could not find object.');
  return one;
}

function listOf(all: readonly Fields[], { page_size: size = 100, start_cursor: cursor = 0 }: Fields): Fields {
  const results = all.slice(Number(cursor), Number(cursor) + Number(size));
  const end = Number(cursor) + results.length;
  const hasMore = end < all.length;
  return { object: 'list', results, has_more: hasMore, next_cursor: hasMore ? String(end) : null };
}

function checkChildren(children: readonly Fields[], levels: number): void {
  if (children.length > MAX_CHILDREN) throw invalid(`children.length should be ≤ ${MAX_CHILDREN}`);
  for (const block of children) {
    const { rich_text: text = [], children: below = [] } = block[typeOf(block)] as {
      rich_text?: Fields[];
      children?: Fields[];
    };
    if (text.length > MAX_CHILDREN) throw invalid('rich_text.length should be ≤ 100');
    if (text.some((each) => (each['text'] as { content: string }).content.length > MAX_TEXT))
      throw invalid('content.length should be ≤ 2000');
    if (below.length > 0 && levels === 0) throw invalid('children should be not present');
    checkChildren(below, levels - 1);
  }
}

// Clients may leave it to the name of the content.
function typeOf(block: Fields): string {
  return Object.keys(block).find((name) => name !== 'type' && name !== 'object') ?? '';
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'validation_error', `body failed validation: ${message}`);
}

// Notion answers the text and the address of each piece as well.
function withPlainText(content: Fields): Fields {
  return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((each: unknown) => {
    if (Array.isArray(each)) return plain(each);
    const { text } = each as { text?: { content: string; link?: { url: string } | null } };
    return text === undefined ? each : { ...(each as Fields), plain_text: text.content, href: text.link?.url ?? null };
  });
}

function withTypes(properties: Fields, types: Readonly<Record<string, { readonly type: string }>>): Fields {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const type = types[name]?.type ?? 'title';
      const { [type]: content } = value as Fields;
      return [name, { id: name, type, [type]: plain(content) }];
    }),
  );
}
