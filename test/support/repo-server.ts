import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { CodeHostKind } from '../../domain/projects.ts';
import { json, OutsideServer, type Reply, type SeenRequest } from './outside-server.ts';

/** A repository that a server has. */
export interface ServedRepo {
  defaultBranch: string | null;
  /** The commits of branches, by their names. */
  branches: Readonly<Record<string, string>>;
  files: readonly string[];
  /** Without it, everybody may read it. */
  token?: string;
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The id of the folder at this path, for a host that asks for trees by their ids. */
const idOf = (path: string) => createHash('sha1').update(path).digest('hex');

/**
 * A code host that speaks the APIs of GitHub, GitLab and Gitea as far as a repository is read by them: paths, pages,
 * and what each says of trees that are too large.
 */
export class RepoServer {
  /** By path, as `owner/name`. */
  readonly repos = new Map<string, ServedRepo>();
  /** Takes the place of the next answers to paths that hold this text. */
  readonly faults = new Map<string, Reply>();
  /** The entries of a whole tree that GitHub's API returns at most. */
  maxTree = 100_000;
  readonly #server: OutsideServer;

  private constructor(server: OutsideServer) {
    this.#server = server;
    server.reply = (response, request) => this.#answer(response, request);
  }

  static async start(): Promise<RepoServer> {
    return new RepoServer(await OutsideServer.start());
  }

  get port(): number {
    return this.#server.port;
  }

  get url(): string {
    return this.#server.url;
  }

  /** The paths that were asked for since the last look. */
  seen(): string[] {
    return this.#server.seen.splice(0).map(({ url }) => url);
  }

  close(): void {
    this.#server.close();
  }

  #answer(response: ServerResponse, request: SeenRequest): void {
    for (const [part, reply] of this.faults) if (request.url.includes(part)) return reply(response, request);
    const url = new URL(request.url, this.url);
    const location = locationOf(url.pathname);
    const repo = location && this.repos.get(location.name);
    if (location === undefined || repo === undefined) return json({ message: 'Not Found' }, 404)(response, request);
    const { authorization = '' } = request.headers;
    if (repo.token !== undefined && !authorization.endsWith(` ${repo.token}`)) {
      const status = authorization === '' ? 404 : 401;
      return json({ message: `no, ${authorization}` }, status)(response, request);
    }
    const { body, status = 200, headers = {} } = this.#answerOf(repo, location, url);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  #answerOf(repo: ServedRepo, { kind, rest }: Location, url: URL): Answer {
    if (rest === '') return { body: describeRepo(kind, repo) };
    if (rest.startsWith('/branches')) return branchesOf(kind, repo, rest.slice('/branches'.length), url);
    if (kind === 'gitlab') return gitlabTreeOf(repo, url);
    if (repo.files.length === 0) return { body: { message: 'Git Repository is empty.' }, status: 409 };
    return this.#treeOf(kind, repo, rest.slice('/git/trees/'.length), url);
  }

  #treeOf(kind: CodeHostKind, repo: ServedRepo, id: string, url: URL): Answer {
    const all = entriesOf(repo.files);
    const isRoot = Object.values(repo.branches).includes(id);
    const path = isRoot ? '' : all.find((entry) => entry.isFolder && idOf(entry.path) === id)?.path;
    if (path === undefined) return { body: { message: 'Not Found' }, status: 404 };
    const found = url.searchParams.has('recursive') ? all : inFolder(all, path);
    const perPage = kind === 'gitea' ? Number(url.searchParams.get('per_page')) : this.maxTree;
    const page = kind === 'gitea' ? Number(url.searchParams.get('page')) : 1;
    const tree = found.slice((page - 1) * perPage, page * perPage).map((entry) => ({
      path: path === '' ? entry.path : entry.path.slice(path.length + 1),
      mode: entry.isFolder ? '040000' : '100644',
      type: entry.isFolder ? 'tree' : 'blob',
      sha: idOf(entry.path),
      url: `${this.url}/an/address/that/nobody/asks/for`,
    }));
    return { body: { sha: id, tree, truncated: found.length > page * perPage, page, total_count: found.length } };
  }
}

interface Answer {
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Location {
  readonly kind: CodeHostKind;
  readonly name: string;
  readonly rest: string;
}

const APIS: readonly (readonly [CodeHostKind, string])[] = [
  ['github', '/api/v3/repos/'],
  ['gitea', '/api/v1/repos/'],
  ['gitlab', '/api/v4/projects/'],
];

function locationOf(pathname: string): Location | undefined {
  for (const [kind, prefix] of APIS) {
    if (!pathname.startsWith(prefix)) continue;
    const parts = pathname.slice(prefix.length).split('/');
    const names = parts.splice(0, kind === 'gitlab' ? 1 : 2).map(decodeURIComponent);
    const rest = parts.length === 0 ? '' : `/${parts.map(decodeURIComponent).join('/')}`;
    return { kind, name: names.join('/'), rest: kind === 'gitlab' ? rest.replace('/repository', '') : rest };
  }
  return undefined;
}

function describeRepo(kind: CodeHostKind, { defaultBranch, files }: ServedRepo): object {
  const empty = { github: {}, gitlab: { empty_repo: files.length === 0 }, gitea: { empty: files.length === 0 } }[kind];
  return { id: 1, default_branch: defaultBranch, ...empty };
}

function branchesOf(kind: CodeHostKind, { branches }: ServedRepo, rest: string, url: URL): Answer {
  const list = Object.entries(branches).map(([name, id]) => ({
    name,
    commit: kind === 'github' ? { sha: id } : { id, message: 'A change' },
  }));
  if (rest !== '') {
    const found = list.find(({ name }) => name === rest.slice(1));
    return found === undefined ? { body: { message: 'Branch not found' }, status: 404 } : { body: found };
  }
  const perPage = Number(url.searchParams.get(kind === 'gitea' ? 'limit' : 'per_page'));
  const next = list.length > perPage ? { link: `<${url.href}&page=2>; rel="next"` } : {};
  return { body: list.slice(0, perPage), headers: next };
}

function gitlabTreeOf({ files }: ServedRepo, url: URL): Answer {
  const { searchParams: query } = url;
  const all = entriesOf(files);
  const found = query.has('recursive') ? all : inFolder(all, query.get('path') ?? '');
  const [perPage, page] = [Number(query.get('per_page')), Number(query.get('page'))];
  const body = found.slice((page - 1) * perPage, page * perPage).map(({ path, isFolder }) => ({
    id: idOf(path),
    name: path.split('/').at(-1),
    type: isFolder ? 'tree' : 'blob',
    path,
  }));
  return { body, headers: { 'x-next-page': found.length > page * perPage ? String(page + 1) : '' } };
}

function entriesOf(files: readonly string[]): Entry[] {
  const folders = files.flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  });
  return [
    ...[...new Set(folders)].map((path) => ({ path, isFolder: true })),
    ...files.map((path) => ({ path, isFolder: false })),
  ];
}

function inFolder(entries: readonly Entry[], path: string): Entry[] {
  const start = path === '' ? '' : `${path}/`;
  return entries.filter((entry) => entry.path.startsWith(start) && !entry.path.slice(start.length).includes('/'));
}
