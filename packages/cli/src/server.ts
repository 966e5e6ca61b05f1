import packageJson from '../package.json' with { type: 'json' };
import { APIConnectionError, APIError, Everturn, type Schemas } from '../../sdk/src/index.ts';
import { CredentialsFile } from './credentials.ts';
import { EXIT, Failure } from './failure.ts';
import type { Environment } from './environment.ts';

/** The version of this program. */
export const VERSION = packageJson.version;

/** How long a server may take to say what it is. */
const GREETING_MS = 10_000;

/** A server that the caller is signed in at. */
export interface Connection {
  readonly url: string;
  readonly server: Schemas['Server'];
  readonly client: Everturn;
}

/** Returns the address of the server: the named one, that of the environment, or that of the last sign-in. */
export function addressOf(env: Environment['env'], named: string | undefined): string {
  const given = named ?? nonEmpty(env['EVERTURN_URL']) ?? new CredentialsFile(env).read().current;
  if (given === undefined)
    throw new Failure(
      'Which server? Name it with --url or EVERTURN_URL, or sign in with "everturn login".',
      EXIT.usage,
    );
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Failure(
      'The address of the server must begin with http:// or https:// and contain no password.',
      EXIT.usage,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Returns what the server says of itself. Throws a `Failure` when it is none, or one of another version. */
export async function greet(url: string): Promise<Schemas['Server']> {
  const client = new Everturn({ url, apiKey: null, maxRetries: 0, timeoutMs: GREETING_MS });
  const server = await client.request('GET', '/api/server').catch((error: unknown) => {
    if (error instanceof APIConnectionError)
      throw new Failure(`No server can be reached at ${url}: ${error.message}.`, EXIT.failed, { cause: error });
    if (error instanceof APIError && error.status >= 300 && error.status < 400) throw error;
    return undefined;
  });
  if (typeof server?.version !== 'string')
    throw new Failure(`${url} is not the address of an Everturn server, or the server is starting.`);
  if (compatibilityOf(server.version) !== compatibilityOf(VERSION))
    throw new Failure(
      `The server at ${url} has the version ${server.version} and this program ${VERSION}: install the program of the server's version.`,
    );
  return server;
}

/** Connects to the server that is meant, with the key of the environment or that of the sign-in there. */
export async function connect(env: Environment['env'], named: string | undefined): Promise<Connection> {
  const url = addressOf(env, named);
  const apiKey = nonEmpty(env['EVERTURN_API_KEY']) ?? new CredentialsFile(env).read().servers[url]?.apiKey;
  const server = await greet(url);
  if (apiKey === undefined)
    throw new Failure(
      `You are not signed in at ${url}: run "everturn login --url ${url}", or set EVERTURN_API_KEY.`,
      EXIT.notSignedIn,
    );
  return { url, server, client: new Everturn({ url, apiKey }) };
}

// Before 1.0 each minor version may change what clients rely on.
function compatibilityOf(version: string): string {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : String(major);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
