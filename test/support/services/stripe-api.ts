import type { ServerResponse } from 'node:http';
import type { Reply, SeenRequest } from '../outside-server.ts';

type Fields = Record<string, unknown>;

const PREFIXES: Readonly<Record<string, string>> = {
  customers: 'cus',
  invoices: 'in',
  invoiceitems: 'ii',
  refunds: 're',
  payment_links: 'plink',
};
const NAMES: Readonly<Record<string, string>> = { invoiceitems: 'invoiceitem' };

/**
 * Speaks the part of Stripe's API that lists, finds, reads and creates objects, by its public documentation: forms with
 * brackets, lists with `has_more`, errors in an envelope, and answers that are repeated for the same idempotency key.
 */
export class StripeApi {
  readonly objects = new Map<string, Fields[]>();
  readonly #answers = new Map<string, { readonly request: string; readonly status: number; readonly body: Fields }>();
  #made = 0;

  readonly reply: Reply = (response, request) => {
    if (!request.headers.authorization?.startsWith('Bearer rk_'))
      return send(response, 401, failure('invalid_request_error', 'You did not provide an API key.'));
    const key = request.headers['idempotency-key'];
    if (request.method === 'POST' && typeof key === 'string') return this.#keyed(response, request, key);
    const { status, body } = this.#answer(request);
    return send(response, status, body);
  };

  add(kind: string, fields: Fields): Fields {
    this.#made += 1;
    const object = NAMES[kind] ?? kind.slice(0, -1);
    const made = { id: `${PREFIXES[kind] ?? 'x'}_${this.#made}`, object, livemode: false, ...fields };
    this.objects.set(kind, [made, ...(this.objects.get(kind) ?? [])]);
    return made;
  }

  #keyed(response: ServerResponse, request: SeenRequest, key: string): void {
    const asked = `${request.url} ${request.body}`;
    const former = this.#answers.get(key);
    if (former !== undefined && former.request !== asked)
      return send(
        response,
        400,
        failure('idempotency_error', 'Keys for idempotent requests can only be used with the same parameters.'),
      );
    const answer = former ?? { request: asked, ...this.#answer(request) };
    this.#answers.set(key, answer);
    return send(response, answer.status, answer.body, former === undefined ? {} : { 'idempotent-replayed': 'true' });
  }

  #answer({ method, url, body }: SeenRequest): { status: number; body: Fields } {
    const { pathname, searchParams } = new URL(url, 'http://stripe.test');
    const [, , kind = '', id] = pathname.split('/');
    if (method === 'POST') return this.#create(kind, fromForm(new URLSearchParams(body)));
    const all = this.objects.get(kind) ?? [];
    if (id === undefined) return { status: 200, body: pageOf(all, searchParams, 'starting_after', pathname) };
    if (id === 'search') return { status: 200, body: searchOf(all, searchParams, pathname) };
    const found = all.find((each) => each['id'] === id);
    if (found === undefined) return { status: 404, body: failure('invalid_request_error', `No such object: '${id}'`) };
    return { status: 200, body: this.#whole(found) };
  }

  #create(kind: string, fields: Fields): { status: number; body: Fields } {
    if (kind === 'invoices' && fields['customer'] === undefined)
      return { status: 400, body: failure('invalid_request_error', 'Missing required param: customer.') };
    const state = kind === 'invoices' ? { status: 'draft', client_secret: 'in_secret' } : {};
    return { status: 200, body: this.add(kind, { ...state, ...fields }) };
  }

  #whole(object: Fields): Fields {
    if (object['object'] !== 'invoice') return object;
    const items = (this.objects.get('invoiceitems') ?? []).filter(({ invoice }) => invoice === object['id']);
    const total = items.reduce((sum, { amount }) => sum + Number(amount), 0);
    return { ...object, total, lines: { object: 'list', data: items, has_more: false } };
  }
}

function pageOf(all: readonly Fields[], query: URLSearchParams, cursor: string, url: string): Fields {
  const from = all.findIndex(({ id }) => id === query.get(cursor)) + 1;
  const data = all.slice(from, from + Number(query.get('limit') ?? 10));
  return { object: 'list', url, data, has_more: from + data.length < all.length };
}

// Only queries such as `email:'ann@example.com'`.
function searchOf(all: readonly Fields[], query: URLSearchParams, url: string): Fields {
  const { name = '', value } = /^(?<name>\w+):'(?<value>[^']*)'$/.exec(query.get('query') ?? '')?.groups ?? {};
  const found = all.filter((each) => each[name] === value);
  const from = Number(query.get('page') ?? 0);
  const data = found.slice(from, from + Number(query.get('limit') ?? 10));
  const next = from + data.length;
  const hasMore = next < found.length;
  return { object: 'search_result', url, data, has_more: hasMore, next_page: hasMore ? String(next) : null };
}

function fromForm(form: URLSearchParams): Fields {
  const fields: Fields = {};
  for (const [path, value] of form) {
    const names = path.split(/[[\]]+/).filter((name) => name !== '');
    const last = names.pop() ?? '';
    const inner = names.reduce<Fields>((at, name) => (at[name] ??= {}) as Fields, fields);
    inner[last] = value;
  }
  return fields;
}

function failure(type: string, message: string): Fields {
  return { error: { type, message } };
}

function send(response: ServerResponse, status: number, body: Fields, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
  response.end(JSON.stringify(body));
}
