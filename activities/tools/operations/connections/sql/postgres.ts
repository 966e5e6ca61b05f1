import type { Client, FieldDef, Query, QueryResult } from 'pg';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';
import { ToolFailure } from '../../../tool-failure.ts';
import {
  bytesAsJson,
  KeptRows,
  MAX_PRELUDE_BYTES,
  type SqlAnswer,
  sqlFailure,
  type SqlStatement,
} from './sql-statement.ts';
import { parseForeignJson } from '../../../../../domain/core/foreign-json.ts';
import { encrypt } from '../../../../core/network/guarded-connect.ts';
import {
  type Account,
  connectionFailure,
  type Endpoint,
  endpointOf,
  type Reach,
  RejectedCredentials,
} from '../connections.ts';
import { MeteredSocket } from '../metered-socket.ts';
import { requireNoVolatile } from './volatile-functions.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const ENCRYPTION_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** How often the server checks whether the client is still connected; it ends the statement otherwise. */
const CHECK_INTERVAL_MS = 1_000;
const REFUSALS = { tooLong: ['57014'], readOnly: '25006' } as const;
// Each name says its schema: a user may have others found first.
const SETTINGS = `
  select pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('datestyle', 'ISO, YMD', true),
    (select pg_catalog.set_config(name, $2, true) from pg_catalog.pg_settings
      where name operator(pg_catalog.=) 'client_connection_check_interval'),
    exists (
      select from pg_catalog.pg_roles
      where rolsuper and rolname operator(pg_catalog.=) any (array[current_user, session_user])
    ) or exists (
      select from pg_catalog.pg_roles r
      where r.rolname operator(pg_catalog.=) any
          ('{pg_execute_server_program,pg_read_server_files,pg_write_server_files}'::pg_catalog.name[])
        and (pg_catalog.pg_has_role(session_user, r.oid, 'member') or pg_catalog.pg_has_role(current_user, r.oid, 'member'))
    ) as "reachesServer"`;

/** Runs a statement on a PostgreSQL server. */
export async function runOnPostgres(account: Account, statement: SqlStatement, reach: Reach): Promise<SqlAnswer> {
  const { default: pg } = await import('pg');
  return inTransaction(account, statement, reach, async (client, socket) => {
    const { sql, params, isWrite } = statement;
    if (!isWrite) await requireNoVolatile(client, sql);
    const config = {
      text: sql,
      values: [...params],
      rowMode: 'array' as const,
      // One statement at a time, whatever is in the text.
      queryMode: 'extended',
      types: jsonTypes(pg.types),
    };
    const query = new pg.Query<unknown[], unknown[]>(config);
    const answer = rowsOf(query, statement);
    socket.allow(MAX_BYTES);
    client.query(query);
    const rows = await answer;
    if (isWrite) await commit(client, account);
    return rows;
  });
}

/** Signs in to a PostgreSQL server. */
export async function signInToPostgres(account: Account, reach: Reach): Promise<void> {
  await inTransaction(account, { isWrite: false, timeoutMs: 10_000 }, reach, async () => undefined);
}

// Uncommitted work has no effect, so a failure leaves nothing behind.
async function inTransaction<T>(
  account: Account,
  { isWrite, timeoutMs }: Pick<SqlStatement, 'isWrite' | 'timeoutMs'>,
  { sockets, signal }: Reach,
  work: (client: Client, socket: MeteredSocket) => Promise<T>,
): Promise<T> {
  const endpoint = endpointOf(account);
  const { service, host, port, tls } = endpoint;
  let socket: MeteredSocket | undefined;
  const end = () => socket?.destroy(signal.reason as Error);
  try {
    const connection = await sockets.connect(host, port, { signal });
    socket = new MeteredSocket(
      tls === undefined ? connection : await encrypted(connection, endpoint, signal),
      MAX_PRELUDE_BYTES,
    );
    signal.addEventListener('abort', end, { once: true });
    const client = await clientOver(socket, endpoint);
    await client.query(isWrite ? 'begin' : 'begin read only');
    const { rows } = await client.query<{ reachesServer: boolean }>(SETTINGS, [
      String(timeoutMs),
      String(CHECK_INTERVAL_MS),
    ]);
    if (rows[0]?.reachesServer !== false) throw tooPowerful(account);
    return await work(client, socket);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, account, service);
  } finally {
    signal.removeEventListener('abort', end);
    socket?.destroy();
  }
}

/** Asks the server to encrypt the connection, as its protocol has it. */
async function encrypted(socket: Socket, { service, host, tls = {} }: Endpoint, signal: AbortSignal): Promise<Socket> {
  try {
    socket.write(ENCRYPTION_REQUEST);
    const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
    socket.pause();
    // Whatever else comes along was not encrypted.
    if (answer.toString() === 'S') return await encrypt(socket, host, { trust: tls, signal });
    throw new ToolFailure('denied', `${service} offers no encryption there, and the integration asks for it (tls)`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function clientOver(socket: MeteredSocket, endpoint: Endpoint): Promise<Client> {
  const { default: pg } = await import('pg');
  const { service, host, port, path: database, user, password } = endpoint;
  const client = new pg.Client({
    stream: () => socket,
    host,
    port,
    database,
    user,
    password,
    application_name: 'Everturn',
    ssl: false,
  });
  // Each request fails by itself.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw codeOf(error)?.startsWith('28') === true ? new RejectedCredentials(service, { cause: error }) : error;
  }
}

function tooPowerful({ name }: Account): ToolFailure {
  return new ToolFailure(
    'denied',
    `The user of the integration ${name} may read files of the database server and run programs there: give it a user that is no superuser`,
  );
}

async function rowsOf(query: Query<unknown[], unknown[]>, { maxRows, isWrite }: SqlStatement): Promise<SqlAnswer> {
  const kept = new KeptRows(maxRows);
  return new Promise((resolve, reject) => {
    query.on('row', (row: unknown[], result) => {
      // One that reads needs no end. One that writes does, so the rest is passed over.
      if (!kept.add(row) && !isWrite) resolve(kept.answer(namesOf(result?.fields), null));
    });
    query.on('end', (result: QueryResult) =>
      resolve(kept.answer(namesOf(result.fields), isWrite ? result.rowCount : null)),
    );
    query.on('error', reject);
  });
}

function namesOf(fields: readonly FieldDef[] = []): readonly string[] {
  return fields.map(({ name }) => name);
}

async function commit(client: Client, account: Account): Promise<void> {
  try {
    await client.query('commit');
  } catch (error) {
    if (codeOf(error) !== undefined) throw error;
    // The connection was lost between the word and its answer.
    throw connectionFailure(error, account, { service: endpointOf(account).service, isUncertain: true });
  }
}

function failureOf(error: unknown, account: Account, service: string): ToolFailure {
  const code = codeOf(error);
  if (code === undefined) return connectionFailure(error, account, { service });
  return sqlFailure(error, account, { service, code, codes: REFUSALS });
}

/** Returns the code of a refusal of the server; undefined for an error of the connection. */
function codeOf(error: unknown): string | undefined {
  const isRefusal = error instanceof Error && 'severity' in error && 'code' in error;
  return isRefusal && typeof error.code === 'string' ? error.code : undefined;
}

const asNumber = (text: string) => {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
};
const asJson = (text: string) => {
  const parsed = parseForeignJson(text, { isExact: true });
  return 'value' in parsed ? parsed.value : text;
};

type Parser = (text: string) => unknown;

/** How values are read, by the ids of their types; all others, such as times, stay as the server writes them. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [17, (text) => bytesAsJson(Buffer.from(text.slice(2), 'hex'))],
  // int8, int2, int4, float4, float8 and numeric: what a number of JSON would change stays a text.
  ...[20, 21, 23, 700, 701, 1700].map((id) => [id, asNumber] as const),
  [114, asJson],
  [3802, asJson],
]);
/** Lists of booleans, numbers, texts and ids, which the library takes apart. */
const LISTS: ReadonlySet<number> = new Set([1000, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1231, 2951]);

/** Returns how the values of an answer become JSON. */
function jsonTypes(types: typeof pg.types): pg.CustomTypesConfig {
  const parserOfList = types.getTypeParser as (id: number, format: 'text') => Parser;
  const parserOf = (id: number) => (LISTS.has(id) ? parserOfList(id, 'text') : (PARSERS.get(id) ?? asIs));
  return { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] };
}

function asIs(text: string): string {
  return text;
}
