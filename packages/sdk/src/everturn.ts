import type {
  Answer,
  Item,
  ListPath,
  Method,
  Operation,
  OptionsArgument,
  PathOf,
  RequestOptions,
} from './api-types.ts';
import { Chats } from './chats.ts';
import { readJson } from './read-json.ts';
import { type ClientOptions, Transport } from './transport.ts';

/** A client of an Everturn server. */
export class Everturn {
  readonly chats: Chats;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
    this.chats = new Chats(this.#transport);
  }

  /** Sends a request, and returns the answer. Throws an `APIError` when the server says that it has failed. */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: OptionsArgument<Operation<M, P>>
  ): Promise<Answer<Operation<M, P>>> {
    const request = requestOf(method, path, options);
    return this.#transport.send(request, readJson<Answer<Operation<M, P>>>);
  }

  /** Sends a request, and returns the answer before its body was read: for files, and for streams of events. */
  async fetch<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: OptionsArgument<Operation<M, P>>
  ): Promise<Response> {
    return this.#transport.send(requestOf(method, path, options), async (response) => response);
  }

  /** Reads a list, page by page as its items are wanted. */
  async *list<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<Operation<'GET', P>>
  ): AsyncGenerator<Item<P>, void> {
    const request = requestOf('GET', path as PathOf<'GET'>, options as never);
    let next: URL | undefined = this.#transport.addressOf(request);
    let former = new Set<unknown>();
    while (next !== undefined) {
      const url: URL = next;
      const page = await this.#transport.send(
        request,
        async (response) => ({
          items: await readJson<Item<P>[]>(response),
          next: nextOf(response.headers.get('link')),
        }),
        url,
      );
      // What is added meanwhile moves the end of a page into the next one.
      yield* page.items.filter((item) => !former.has(idOf(item)));
      former = new Set(page.items.map(idOf).filter((id) => id !== undefined));
      next = page.next === undefined ? undefined : new URL(page.next, url);
    }
  }
}

function requestOf<M extends Method, P extends PathOf<M>>(
  method: M,
  template: P,
  options: RequestOptions<Operation<M, P>> | undefined,
) {
  return { ...options, method, template };
}

function idOf(item: unknown): unknown {
  return (item as { id?: unknown } | null)?.id;
}

// RFC 8288: relative to the address that was asked.
function nextOf(link: string | null): string | undefined {
  return /<(?<next>[^>]*)>; rel="next"/.exec(link ?? '')?.groups?.['next'];
}
