import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { types } from 'node:util';
import { BlockedAddressError } from '../core/network/guarded-connect.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import { networkErrorOf } from '../core/network/guarded-http.ts';
import { readPushCommands, RefusedPush, type RefUpdate, UNKNOWN_FORM } from './push-commands.ts';
import { type Credentials, OTHERS_MAY, refusalOf, type Refusal } from './refusal.ts';

export type { Refusal } from './refusal.ts';

/** A repository at another server, and what is to be changed there. */
export interface GitRemote {
  /** As `readRemoteAddress` returns it. */
  readonly url: string;
  /** The update that may be pushed, once; none unless given. */
  readonly update?: RefUpdate | undefined;
}

interface GatewayDeps {
  readonly fetch: GuardedFetch;
  /** Tried in this order until one suffices; without any, none are sent. */
  readonly credentials: readonly Credentials[];
}

/** The request of git, below the address of a repository. */
interface Wanted {
  readonly method: string;
  readonly tail: string;
  readonly access: 'fetch' | 'push';
}

const FETCHES = ['git-upload-pack'];
const PUSHES = ['git-upload-pack', 'git-receive-pack'];
/** Headers of a request of git that its server needs. */
const PASSED_ON = ['accept', 'content-type', 'content-encoding', 'git-protocol', 'accept-language'];
/** The longest body that git sends with its length; others are sent on as they come. */
const MAX_BUFFERED = 2_000_000;
/** What one repository may send or be sent, in bytes. */
const MAX_BYTES = 100_000_000;
const MOVED: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * The way of git inside the sandbox to one repository: git speaks to it in clear, it adds the credentials, and speaks
 * to the server under the checks of every outgoing request. It passes on what fetches from that repository and, once,
 * the update that is wanted, and nothing else. Nothing inside can learn the credentials, and no redirect gets them.
 */
export class GitGateway {
  readonly #remote: GitRemote;
  readonly #deps: GatewayDeps;
  /** The name of the server inside the sandbox, which no other command knows. */
  readonly #host = `${randomBytes(8).toString('hex')}.git-gateway.invalid`;
  /** Where the repository is: some servers have it at its name with the ending of Git only. */
  #url: string;
  /** Which credentials have turned out to be enough. */
  #chosen: Credentials | undefined;
  #refusal: Refusal | undefined;
  #hasPushed = false;
  #bytes = 0;

  constructor(remote: GitRemote, deps: GatewayDeps) {
    this.#remote = remote;
    this.#url = remote.url;
    this.#deps = deps;
  }

  get #access(): Wanted['access'] {
    return this.#remote.update === undefined ? 'fetch' : 'push';
  }

  /** Why a request was refused, here or by the server; undefined when none was. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** The variables by which git finds the gateway instead of the server. */
  get environment(): Readonly<Record<string, string>> {
    const { origin } = new URL(this.#remote.url);
    return {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.http://${this.#host}/.insteadOf`,
      GIT_CONFIG_VALUE_0: `${origin}/`,
    };
  }

  /** Returns a text of git with the address of the server instead of that of the gateway. */
  inOwnTerms(text: string): string {
    const { origin } = new URL(this.#remote.url);
    return text.replaceAll(`http://${this.#host}`, origin).replaceAll(this.#host, new URL(origin).host);
  }

  /** Answers a request of git. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    void this.#answer(request, response).catch((error: unknown) => {
      // Lets git's own message about an answer that it stops reading be shown.
      if (!isHungUp(error)) this.#refuse(response, failureOf(error));
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = this.#wantedBy(request);
    if (wanted === undefined) {
      request.resume();
      return this.#refuse(response, {
        kind: 'denied',
        message: `Only the repository ${this.#remote.url} can be reached here, to ${this.#access}`,
      });
    }
    const stop = new AbortController();
    response.once('close', () => stop.abort());
    const answer = await this.#send(request, wanted, stop.signal);
    const refusal = await this.#refusalOf(answer, wanted);
    if (refusal !== undefined) return this.#refuse(response, refusal);
    response.writeHead(200, { 'content-type': answer.headers.get('content-type') ?? '', 'cache-control': 'no-cache' });
    if (answer.body === null) return void response.end();
    await pipeline(Readable.fromWeb(answer.body), this.#counted(), response);
  }

  #wantedBy({ url = '', method = '' }: IncomingMessage): Wanted | undefined {
    const path = `http://${this.#host}${new URL(this.#remote.url).pathname}`;
    const services = this.#access === 'push' ? PUSHES : FETCHES;
    const service = services.find((each) => url === `${path}/info/refs?service=${each}` || url === `${path}/${each}`);
    if (service === undefined) return undefined;
    const isList = url.endsWith(`?service=${service}`);
    if (method !== (isList ? 'GET' : 'POST')) return undefined;
    const access = service === 'git-receive-pack' ? 'push' : 'fetch';
    return { method, tail: url.slice(path.length), access };
  }

  // The list of branches is asked for first; what may see it is used from then on.
  async #send(request: IncomingMessage, wanted: Wanted, signal: AbortSignal): Promise<Response> {
    const body = await this.#bodyOf(request, wanted);
    const headers = Object.fromEntries(
      PASSED_ON.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
    const sendWith = async (header: Readonly<Record<string, string>>) =>
      this.#deps.fetch(`${this.#url}${wanted.tail}`, {
        method: wanted.method,
        headers: { ...headers, 'user-agent': 'git/Everturn', ...header },
        body: body as NonNullable<RequestInit['body']> | null,
        signal,
      });
    // A stream can be sent once.
    const mayRepeat = body === null || Buffer.isBuffer(body);
    const send = async (credentials: Credentials | undefined) =>
      credentials?.send(sendWith, { mayRepeat }) ?? sendWith({});
    if (wanted.method === 'POST') return send(this.#chosen);
    return this.#listWith(send);
  }

  async #listWith(send: (credentials: Credentials | undefined) => Promise<Response>): Promise<Response> {
    const { credentials } = this.#deps;
    // The list for pushes says who may push, so all credentials are tried again.
    const tried = [...credentials, ...(this.#access === 'fetch' || credentials.length === 0 ? [undefined] : [])];
    let first: Response | undefined;
    for (const each of tried) {
      const answer = await this.#followed(await send(each), () => send(each));
      if (!OTHERS_MAY.has(answer.status)) {
        this.#chosen = each;
        await first?.body?.cancel();
        return answer;
      }
      if (first === undefined) first = answer;
      else await answer.body?.cancel();
    }
    if (first === undefined) throw new Error('nothing was tried');
    return first;
  }

  // GitLab has a repository at its name with the ending of Git, and redirects there.
  async #followed(answer: Response, again: () => Promise<Response>): Promise<Response> {
    const target = MOVED.has(answer.status) ? this.#targetOf(answer) : undefined;
    if (target === undefined || this.#url.endsWith('.git') || !target.startsWith(`${this.#url}.git/`)) return answer;
    await answer.body?.cancel();
    this.#url = `${this.#url}.git`;
    return again();
  }

  #targetOf(answer: Response): string | undefined {
    return URL.parse(answer.headers.get('location') ?? '', this.#url)?.href;
  }

  async #bodyOf(request: IncomingMessage, { method, access }: Wanted): Promise<Buffer | ReadableStream | null> {
    if (method !== 'POST') return null;
    const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const read = access === 'push' ? await this.#readUpdate(request, chunks) : Buffer.alloc(0);
    const body = async function* () {
      yield read;
      yield* { [Symbol.asyncIterator]: () => chunks };
    };
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    if (length <= MAX_BUFFERED) {
      const received: Buffer[] = [];
      for await (const chunk of body()) received.push(chunk);
      return Buffer.concat(received);
    }
    const counted = this.#counted();
    // The reader of the stream gets the error.
    void pipeline(Readable.from(body()), counted).catch(() => undefined);
    return Readable.toWeb(counted) as ReadableStream;
  }

  // Git compresses what it asks for, and never what it pushes.
  async #readUpdate({ headers }: IncomingMessage, chunks: AsyncIterator<Buffer>): Promise<Buffer> {
    const { update } = this.#remote;
    if (update === undefined || headers['content-encoding'] !== undefined) throw new RefusedPush(UNKNOWN_FORM);
    const { read, isProbe } = await readPushCommands(chunks, update);
    if (isProbe) return read;
    if (this.#hasPushed) throw new RefusedPush('This update was already pushed; it is pushed only once');
    this.#hasPushed = true;
    return read;
  }

  #counted(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#bytes += chunk.length;
        if (this.#bytes <= MAX_BYTES) return done(null, chunk);
        done(new TooMuch(`More than ${MAX_BYTES / 1e6} MB went between git and the server`));
      },
    });
  }

  async #refusalOf(answer: Response, { method, access, tail }: Wanted): Promise<Refusal | undefined> {
    const service = access === 'push' ? 'git-receive-pack' : 'git-upload-pack';
    const type = `application/x-${service}-${method === 'GET' ? 'advertisement' : 'result'}`;
    const isGit = answer.headers.get('content-type')?.split(';', 1)[0]?.trim() === type;
    if (answer.status === 200 && isGit) return undefined;
    await answer.body?.cancel();
    const target = MOVED.has(answer.status) ? this.#targetOf(answer) : undefined;
    const movedTo = target?.endsWith(tail) === true ? target.slice(0, -tail.length) : undefined;
    const { credentials } = this.#deps;
    return refusalOf({ url: this.#remote.url, access, status: answer.status, credentials, movedTo });
  }

  #refuse(response: ServerResponse, refusal: Refusal): void {
    this.#refusal ??= refusal;
    if (response.headersSent) response.destroy();
    else response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(`${refusal.message}\n`);
  }
}

/** Whether git has closed the connection before the answer had ended. */
function isHungUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}

class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

function failureOf(error: unknown): Refusal {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
    if (cause instanceof TooMuch)
      return { kind: 'denied', message: `${cause.message}: ask for a smaller part, with \`depth\` and \`branch\`` };
    if (cause instanceof BlockedAddressError || cause instanceof RefusedPush)
      return { kind: 'denied', message: cause.message };
    const known = networkErrorOf(cause);
    if (known !== undefined)
      return {
        kind: known.isTimeout ? 'timeout' : 'upstream',
        message: `The server of the repository cannot be reached: ${known.words}`,
      };
  }
  return { kind: 'upstream', message: 'The answer of the server of the repository broke off' };
}
