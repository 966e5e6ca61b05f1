import type { OutsideServer, Reply, SeenRequest } from '../outside-server.ts';

/** A request as far as two clients that mean the same have to agree on it. */
interface MeantRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: unknown;
}

/** Returns what a server is asked for while work is done. */
export async function requestsOf(
  server: OutsideServer,
  work: () => Promise<unknown>,
): Promise<readonly MeantRequest[]> {
  server.seen.length = 0;
  await work();
  return server.seen.map(meant);
}

function meant({ method, url, headers, body }: SeenRequest): MeantRequest {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const query = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]));
  // Some clients send an empty object where there is nothing to say.
  const isJson = headers['content-type']?.includes('json') === true && body !== '' && body !== '{}';
  return { method, path: pathname, query, body: isJson ? (JSON.parse(body) as unknown) : body.replace(/^\{\}$/, '') };
}

/** Makes a reply by method and path, such as `GET /user`; anything else is answered with 404. */
export function routed(routes: Readonly<Record<string, Reply>>): Reply {
  return (response, request) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const reply = routes[`${request.method} ${path}`];
    if (reply !== undefined) return reply(response, request);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
  };
}
