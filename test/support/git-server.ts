import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Certificate } from './certificate.ts';

const run = promisify(execFile);
const HEAD_END = '\r\n\r\n';

/** A request that has reached the server. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/** What a user of the server may do. */
interface GitUser {
  readonly token: string;
  readonly mayPush: boolean;
}

/** A server of real bare repositories, by `git http-backend`, that asks for a user name and a token. */
export class GitServer {
  readonly seen: SeenRequest[] = [];
  /** Who may read; everybody may while there is nobody. */
  users: GitUser[] = [];
  /** Answers in the place of the repositories; returns whether it did. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => false;
  /** Whether an answer is lost, whose request was done. */
  loses: (request: IncomingMessage) => boolean = () => false;
  /** The folder of the repositories. */
  readonly folder: string;
  readonly #server;
  readonly #scheme: string;

  private constructor(folder: string, certificate?: Certificate) {
    this.folder = folder;
    this.#scheme = certificate === undefined ? 'http' : 'https';
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response);
    this.#server = certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer);
  }

  /** Starts a server, over https if it gets a certificate. */
  static async start(certificate?: Certificate): Promise<GitServer> {
    const server = new GitServer(await mkdtemp(join(tmpdir(), 'everturn-git-')), certificate);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Its host and port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.#scheme}://${this.host}`;
  }

  /** Makes a bare repository with one commit, whose file `readme.txt` holds its name. */
  async make(name: string): Promise<void> {
    await this.git(['init', '--quiet', '--bare', '--initial-branch=main', `${name}.git`]);
    await this.commit(name, { 'readme.txt': `${name}\n` }, 'Begin');
  }

  /** Commits files to a branch of a repository, as somebody else would; returns the commit. */
  async commit(
    name: string,
    files: Readonly<Record<string, string>>,
    message: string,
    branch = 'main',
  ): Promise<string> {
    const repository = `${name}.git`;
    const heads = join(this.folder, repository, 'refs/heads');
    const parent = [branch, 'main'].find((each) => existsSync(join(heads, each)));
    const lines = [
      `commit refs/heads/${branch}`,
      'mark :1',
      'committer Somebody <somebody@example.com> now',
      dataOf(message),
      ...(parent === undefined ? [] : [`from refs/heads/${parent}^0`]),
      ...Object.entries(files).flatMap(([path, text]) => [`M 100644 inline ${path}`, dataOf(text)]),
      'get-mark :1',
    ];
    // One process. A commit that is made in a clone and pushed takes twenty.
    return (await this.git(['-C', repository, 'fast-import', '--quiet', '--date-format=now'], lines.join('\n'))).trim();
  }

  /** Returns the subjects of a branch, newest first. */
  async log(name: string, branch = 'main'): Promise<string[]> {
    return (await this.git(['-C', `${name}.git`, 'log', '--format=%s', branch])).trim().split('\n');
  }

  async git(args: readonly string[], stdin?: string): Promise<string> {
    const running = run('git', args, { cwd: this.folder });
    if (stdin !== undefined) running.child.stdin?.end(stdin);
    return (await running).stdout;
  }

  /** Forgets what was asked of it and how it was to answer; the repositories stay. */
  reset(users: readonly GitUser[]): void {
    this.seen.length = 0;
    this.users = [...users];
    this.instead = () => false;
    this.loses = () => false;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const { authorization } = request.headers;
    this.seen.push({ method, url, authorization });
    if (await this.instead(request, response)) return;
    const password = Buffer.from((authorization ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':')[1];
    const user = this.users.find(({ token }) => token === password);
    if (this.users.length > 0 && user === undefined)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    if (url.includes('git-receive-pack') && user?.mayPush !== true) return void response.writeHead(403).end();
    this.#serve(request, response);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '', this.url);
    const given = (name: string) => request.headers[name]?.toString();
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REMOTE_USER: 'somebody',
        CONTENT_TYPE: given('content-type'),
        CONTENT_LENGTH: given('content-length'),
        HTTP_CONTENT_ENCODING: given('content-encoding'),
        GIT_PROTOCOL: given('git-protocol'),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin.on('error', () => undefined));
    let head = '';
    const isLost = this.loses(request);
    const begin = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end === -1) return;
      const lines = head.slice(0, end).split('\r\n');
      const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
      const { Status: status = '200', ...others } = Object.fromEntries(headers) as Record<string, string>;
      response.writeHead(Number.parseInt(status, 10), others);
      response.write(Buffer.from(head.slice(end + HEAD_END.length), 'latin1'));
    };
    backend.stdout.on('data', (chunk: Buffer) => {
      if (isLost) return;
      if (response.headersSent) response.write(chunk);
      else begin(chunk);
    });
    backend.stdout.on('end', () => (isLost ? response.destroy() : response.end()));
  }
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
