import { type IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { CodeHostKind } from '../../../domain/projects.ts';
import type { ApiCall } from './api-call.ts';
import { answerAsGitea } from './gitea-api.ts';
import { answerAsGithub } from './github-api.ts';
import { answerAsGitlab } from './gitlab-api.ts';
import { World } from './world.ts';
import { LocalServer } from '../local-server.ts';

/** What is done with a request instead of answering it; false to answer it all the same. */
type Fault = (call: ApiCall) => boolean | void;

/** What becomes of a request: the answer of one that is `lost` does not arrive, though it was served. */
type Fate = 'answered' | 'lost';

const APIS = { github: answerAsGithub, gitlab: answerAsGitlab, gitea: answerAsGitea };
const AUTHORIZATION = { github: 'Bearer', gitlab: 'Bearer', gitea: 'token' };
/** The token that opens it, when it asks for one. */
export const HOST_TOKEN = 'a-token-of-the-code-host';

/** A code host with one repository, which speaks the API of its kind by its public documentation. */
export class HostServer extends LocalServer {
  /** The repository, which a test may replace by another one at the same host. */
  world = new World();
  /** What was asked for. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined; readonly etag?: string }[] = [];
  /** What it was told. */
  readonly writes: string[] = [];
  /** Faults for the next requests, in their order. */
  readonly faults: Fault[] = [];
  isPrivate = false;
  /** Decides what becomes of each request, or answers it itself. */
  decide: ((call: ApiCall) => Promise<Fate>) | undefined;
  readonly #kind: CodeHostKind;

  private constructor(kind: CodeHostKind) {
    super();
    this.#kind = kind;
  }

  static async start(kind: CodeHostKind): Promise<HostServer> {
    return new HostServer(kind).listen();
  }

  get repoUrl(): string {
    return `${this.url}/${this.world.path}`;
  }

  /** Lets the next requests fail in a way. */
  fail(times: number, fault: Fault): void {
    this.faults.push(...Array.from({ length: times }, () => fault));
  }

  /** Begins anew, with an empty repository. */
  reset(): void {
    this.world = new World();
    this.seen.length = 0;
    this.writes.length = 0;
    this.faults.length = 0;
    this.isPrivate = false;
    this.decide = undefined;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.url);
    const { authorization, 'if-none-match': etag } = request.headers;
    this.seen.push({ path: request.url ?? '', authorization, ...(etag !== undefined && { etag }) });
    const { method = '' } = request;
    const body = await readBody(request);
    const path = decodeURIComponent(pathname).replace('/api/v3', '');
    if (method !== 'GET') this.writes.push(`${method} ${path} ${JSON.stringify(body)}`);
    const call: ApiCall = { method, path, query, body, origin: this.url, request, response };
    response.setHeader('Date', this.world.now().toUTCString());
    const fault = this.faults.shift();
    if (fault !== undefined && fault(call) !== false) return;
    const fate = await this.decide?.(call);
    if (response.writableEnded) return;
    if (fate === 'lost') this.#serve({ ...call, response: new ServerResponse(request) });
    else return this.#serve(call);
    response.destroy();
  }

  #serve(call: ApiCall): void {
    const { authorization } = call.request.headers;
    const isOpen = !this.isPrivate || authorization === `${AUTHORIZATION[this.#kind]} ${HOST_TOKEN}`;
    if (isOpen) APIS[this.#kind](this.world, call);
    else call.response.writeHead(401).end('{"message":"Bad credentials"}');
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const hasBody = request.method !== 'GET' && request.method !== 'DELETE';
  return hasBody ? ((await json(request)) as Record<string, unknown>) : {};
}
