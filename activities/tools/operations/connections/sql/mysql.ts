import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Connection, FieldPacket, RowDataPacket } from 'mysql2';
import { ToolFailure } from '../../../tool-failure.ts';
import {
  type Account,
  connectionFailure,
  type Endpoint,
  endpointOf,
  type Reach,
  RejectedCredentials,
} from '../connections.ts';
import { MeteredSocket } from '../metered-socket.ts';
import {
  bytesAsJson,
  KeptRows,
  MAX_PRELUDE_BYTES,
  type SqlAnswer,
  sqlFailure,
  type SqlStatement,
} from './sql-statement.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** How much a server may send about the columns of an answer; it has at most 4,096 of them. */
const MAX_COLUMN_BYTES = 4 * 1024 * 1024;
const REJECTED: ReadonlySet<number> = new Set([1044, 1045, 1698, 1820, 1862, 3118]);
const REFUSALS = { tooLong: [1317, 1969, 3024], readOnly: 1792 } as const;

/** Runs a statement on a MySQL or MariaDB server. */
export async function runOnMysql(account: Account, statement: SqlStatement, reach: Reach): Promise<SqlAnswer> {
  const { signal } = reach;
  return inSession(account, reach, statement.isWrite, async (connection, socket) => {
    await prepare(connection, statement);
    const stop = () => void killStatement(account, connection.threadId, reach);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await rowsOf(connection, statement, socket);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  });
}

/** Signs in to a MySQL or MariaDB server. */
export async function signInToMysql(account: Account, reach: Reach): Promise<void> {
  await inSession(account, reach, false, async () => undefined);
}

async function inSession<T>(
  account: Account,
  { sockets, signal }: Reach,
  isWrite: boolean,
  work: (connection: Connection, socket: MeteredSocket) => Promise<T>,
): Promise<T> {
  const endpoint = endpointOf(account);
  const { service } = endpoint;
  let socket: MeteredSocket | undefined;
  let isUncertain = false;
  const end = () => socket?.destroy(signal.reason as Error);
  try {
    socket = new MeteredSocket(await sockets.connect(endpoint.host, endpoint.port, { signal }), MAX_PRELUDE_BYTES);
    signal.addEventListener('abort', end, { once: true });
    const connection = await connectionOver(socket, endpoint);
    const grants = await ask(connection, 'SHOW GRANTS');
    if (grants.some((row) => Object.values(row).some((grant) => reachesServer(String(grant)))))
      throw tooPowerful(account);
    isUncertain = isWrite;
    return await work(connection, socket);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, account, { service, isUncertain });
  } finally {
    signal.removeEventListener('abort', end);
    socket?.destroy();
  }
}

async function connectionOver(socket: MeteredSocket, endpoint: Endpoint): Promise<Connection> {
  const { service, host, port, path: database, user, password, tls } = endpoint;
  if (tls !== undefined && isIP(host) !== 0)
    throw new ToolFailure('invalid_input', `${service} over TLS needs a host name in the base_url, not an address`);
  const { createConnection } = await import('mysql2');
  const connection = createConnection({
    stream: socket,
    host,
    port,
    user,
    password,
    ...(database !== '' && { database }),
    ...(tls !== undefined && {
      ssl: { rejectUnauthorized: true, verifyIdentity: true, ...(tls.ca !== undefined && { ca: tls.ca }) },
    }),
    // No file of this machine is sent, whatever the server asks for.
    flags: ['-LOCAL_FILES'],
    multipleStatements: false,
    // Names of columns never become code.
    disableEval: true,
    dateStrings: true,
    supportBigNumbers: true,
    rowsAsArray: false,
  });
  // Each request fails by itself.
  connection.on('error', () => undefined);
  leaveDisorder(connection, socket, service);
  try {
    await promisify(connection.connect.bind(connection))();
    return connection;
  } catch (error) {
    if (REJECTED.has(numberOf(error) ?? 0)) throw new RejectedCredentials(service, { cause: error });
    throw tls !== undefined && isLost(error) ? notEncrypted(service, error) : error;
  }
}

/** Ends a connection over which packets come in another order than they may; the library writes a line for each. */
function leaveDisorder(connection: Connection & { handlePacket?: () => void }, socket: MeteredSocket, service: string) {
  connection.on('warn', () => {
    connection.handlePacket = () => undefined;
    socket.destroy(new ToolFailure('upstream', `${service} does not keep to its protocol: check the base_url`));
  });
}

// The library reports either of the two first when a certificate is refused.
function notEncrypted(service: string, cause: unknown): ToolFailure {
  const words = `${service} is not reached: its certificate is invalid, or it has closed the connection`;
  return new ToolFailure('upstream', words, { cause });
}

function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'PROTOCOL_CONNECTION_LOST';
}

/** Returns whether a grant lets a user read and write files of the server. */
function reachesServer(grant: string): boolean {
  const [privileges = '', rest] = grant.split(' ON *.* TO ', 2);
  return rest !== undefined && /\b(?:FILE|ALL PRIVILEGES)\b/.test(privileges);
}

function tooPowerful({ name }: Account): ToolFailure {
  return new ToolFailure(
    'denied',
    `The user of the integration ${name} may read and write files of the database server (FILE): give it a user that may not`,
  );
}

/** Sets the time limit of statements, and makes the session read-only where nothing may change. */
async function prepare(connection: Connection, { isWrite, timeoutMs }: SqlStatement): Promise<void> {
  const [row] = await ask(connection, 'SELECT VERSION() AS version');
  const isMariaDb = String(row?.['version']).includes('MariaDB');
  await ask(
    connection,
    isMariaDb
      ? `SET SESSION max_statement_time = ${timeoutMs / 1000}`
      : `SET SESSION max_execution_time = ${Math.round(timeoutMs)}`,
  );
  if (!isWrite) await ask(connection, 'START TRANSACTION READ ONLY');
}

async function ask(connection: Connection, sql: string): Promise<RowDataPacket[]> {
  return new Promise((resolve, reject) => {
    connection.query<RowDataPacket[]>(sql, (error, rows) => (error === null ? resolve(rows) : reject(error)));
  });
}

async function rowsOf(
  connection: Connection,
  { sql, params, isWrite, maxRows }: SqlStatement,
  socket: MeteredSocket,
): Promise<SqlAnswer> {
  const kept = new KeptRows(maxRows);
  // The library buffers the columns all at once, and the rows one by one.
  socket.allow(MAX_COLUMN_BYTES);
  let columns: readonly string[] = [];
  let affected: number | null = null;
  return new Promise((resolve, reject) => {
    // Prepared by the server, which takes one statement at a time and binds the parameters.
    const command = connection.execute({ sql, values: params.map(bound), rowsAsArray: true });
    command.on('fields', (fields: FieldPacket[] | undefined) => {
      socket.allow(MAX_BYTES);
      columns = (fields ?? []).map(({ name }) => name);
    });
    command.on('result', (result: unknown) => {
      if (!Array.isArray(result)) affected = affectedBy(result);
      else if (!kept.add(result.map(asJson)) && !isWrite) resolve(kept.answer(columns, null));
    });
    command.on('end', () => resolve(kept.answer(columns, isWrite ? affected : null)));
    command.on('error', reject);
    // The error of a lost connection is reported to nobody else.
    connection.on('error', reject);
  });
}

function bound(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return JSON.stringify(value) ?? null;
}

function affectedBy(result: unknown): number | null {
  return typeof result === 'object' && result !== null && 'affectedRows' in result ? Number(result.affectedRows) : null;
}

function asJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? bytesAsJson(value) : value;
}

/** Ends the statement of another connection, which the server would run to its end although nobody waits for it. */
async function killStatement(account: Account, thread: number | undefined, reach: Reach): Promise<void> {
  if (thread === undefined) return;
  const signal = AbortSignal.timeout(10_000);
  await inSession(account, { ...reach, signal }, false, async (connection) => {
    await ask(connection, `KILL QUERY ${thread}`);
  }).catch(() => undefined);
}

function failureOf(
  error: unknown,
  account: Account,
  outcome: { readonly service: string; readonly isUncertain: boolean },
): ToolFailure {
  const number = numberOf(error);
  if (number === undefined) return connectionFailure(error, account, outcome);
  return sqlFailure(error, account, { service: outcome.service, code: number, codes: REFUSALS });
}

/** Returns the number of a refusal of the server; undefined for an error of the connection. */
function numberOf(error: unknown): number | undefined {
  const isRefusal = error instanceof Error && 'sqlState' in error && 'errno' in error;
  return isRefusal && typeof error.errno === 'number' ? error.errno : undefined;
}
