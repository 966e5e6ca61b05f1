import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { TLSSocket, createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Certificate, makeCertificate } from '../../../../test/support/certificate.ts';
import { describeWithProgram } from '../../../../test/support/describe-with-program.ts';
import { startMariaDb } from '../../../../test/support/mariadb-server.ts';
import { sharedPostgres } from '../../../../test/support/shared-services.ts';
import type { StartedProgram } from '../../../../test/support/started-program.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../test/support/tool-context.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import type { ToolArguments } from '../../tool.ts';
import { database } from './database.ts';

const MORE = 'There are more rows, or larger ones, than an answer has.';
const PASSWORD = 'the-password-of-the-agents';

/** Functions that are volatile, as all are whose authors say nothing, behind all that may call one. */
const TRICKS = `
  create schema tricks;
  create function tricks.shout() returns text language sql as $$ select 'a' $$;
  create function tricks."Shout out"() returns text language sql as $$ select 'a' $$;
  create function tricks.größe(int) returns int language sql as $$ select 1 $$;
  create function tricks.a$b() returns int language sql as $$ select 1 $$;
  create function tricks.${'x'.repeat(63)}() returns int language sql as $$ select 1 $$;
  create function of_row(herons) returns int language sql as $$ select 1 $$;
  create function tricks.add(int, int) returns int language sql as $$ select 1 $$;
  create operator tricks.<+> (leftarg = int, rightarg = int, function = tricks.add);
  create function tricks.gather(text, text) returns text language sql as $$ select 'a' $$;
  create aggregate tricks.gathered(text) (sfunc = tricks.gather, stype = text);
  create type tricks.pair as (a int);
  create type tricks.changed_pair as (b int);
  create function tricks.changed(tricks.pair) returns tricks.changed_pair language sql as $$ select row(1)::tricks.changed_pair $$;
  create cast (tricks.pair as tricks.changed_pair) with function tricks.changed(tricks.pair)`;

/** What is used of an answer. */
interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly affected?: number;
  readonly note?: string;
}

function asker(tools: () => TestTools) {
  return async (sql: string, more: ToolArguments = {}) => {
    const output = await prepareCall(database, { connection: 'reader', sql, ...more }).run(tools().context);
    expect(output.isForeign).toBe(true);
    return output.value as Answer;
  };
}

test.each([
  ['select 1', {}, 'read'],
  ['select f()', { write: true }, 'once'],
  ['update t set a = 1', {}, 'once'],
])('%j with %j is %s', (sql, more, effect) => {
  expect(database.prepare({ sql, ...more })).toMatchObject({ effect, approval: 'writes' });
});

test('a comment within a comment is refused for MySQL, which would run what follows the first end', async () => {
  const nowhere = {
    kind: 'mysql',
    apiUrl: 'mysql://127.0.0.1:1/birds',
    fields: [],
    secretPlaces: [],
    settings: { tls: 'off' },
    secrets: { user: 'agents', password: PASSWORD },
  } as const;
  const tools = await createTestTools({ integrations: [{ ...nowhere, name: 'reader' }] });
  const ask = asker(() => tools);
  const refused = 'Comments within comments are not allowed';
  await expect(ask('/* /* */ kill 1 -- */ select 1')).rejects.toThrow(refused);
  for (const sql of [
    "select 1 /* '/*' */",
    "select '\\'/* ' /* */, sleep(1)",
    'select "\\"/* " /* */',
    "select '' /* /* */",
    'select `a` --/* /*\n',
    "--\u0001'\n/* /* */ kill 1 -- '*/ select 1",
    'select 1 --\u00a0x,sleep/* /* */(5) from (select 1 as `\u00a0x`) t -- */',
  ])
    await expect(ask(sql)).rejects.toThrow(refused);
  for (const sql of [
    '/* a */ select /* b */ 1',
    "select '/*', '/*'",
    "select name from t where name like '/*%' or name like '/*''%'",
    'select "/*", `/*` from t -- /* /*\n',
    "select 1 # it's /* /*",
  ])
    await expect(ask(sql)).rejects.not.toThrow(refused);
  await tools.close();
});

describe('a PostgreSQL database', () => {
  const ROLE = `agents_${process.pid}`;
  let own: TestDatabase;
  let admin: pg.Client;
  let tools: TestTools;
  const ask = asker(() => tools);

  beforeAll(async () => {
    own = await createTestDatabase();
    const url = new URL(own.url);
    const adminUrl = new URL((await sharedPostgres()).adminUrl);
    adminUrl.pathname = url.pathname;
    admin = new pg.Client({ connectionString: adminUrl.href });
    await admin.connect();
    await admin.query(`create role ${ROLE} login password '${PASSWORD}'`);
    await admin.query(`create table herons (id bigint primary key, name text)`);
    await admin.query(`insert into herons values (1, 'grey'), (9007199254740993, 'great')`);
    await admin.query(`grant select, insert, update, delete on herons to ${ROLE}`);
    await admin.query(
      `create function add_heron() returns int language sql as $$ insert into herons values (3, 'night') returning 3 $$`,
    );
    await admin.query(`create function calm(int) returns int stable language sql as 'select $1'`);
    await admin.query(TRICKS);
    await admin.query(`grant usage on schema tricks to ${ROLE}`);
    const at = {
      kind: 'postgres',
      apiUrl: `postgres://127.0.0.1:${url.port}${url.pathname}`,
      fields: [],
      secretPlaces: [],
      settings: { tls: 'off' },
      secrets: { user: ROLE, password: PASSWORD },
    } as const;
    const superuser = { user: decodeURIComponent(adminUrl.username), password: decodeURIComponent(adminUrl.password) };
    const integrations: TestIntegration[] = [
      { ...at, name: 'reader' },
      { ...at, name: 'writer', settings: { tls: 'off', allow_writes: 'yes' } },
      { ...at, name: 'stranger', secrets: { user: ROLE, password: 'something-else' } },
      { ...at, name: 'superuser', secrets: superuser, settings: { tls: 'off', allow_writes: 'yes' } },
      { ...at, name: 'encrypted', settings: {} },
    ];
    tools = await createTestTools({ privateHosts: `127.0.0.1:${url.port}`, integrations });
  });
  afterAll(async () => {
    await tools.close();
    await admin.query(`drop owned by ${ROLE}`);
    await admin.query(`drop role ${ROLE}`);
    await admin.end();
    await own.drop();
  });

  const names = async () => {
    const { rows } = await admin.query<{ name: string }>('select name from herons order by id');
    return rows.map(({ name }) => name);
  };

  test('answers with columns and rows, and binds parameters', async () => {
    const { columns, rows } = await ask('select id, name from herons where name = any($1) or id = $2 order by id', {
      params: [['grey', "'; drop table herons"], 9],
    });
    expect({ columns, rows }).toEqual({ columns: ['id', 'name'], rows: [[1, 'grey']] });
  });

  test.each([
    ['9007199254740993::bigint', '9007199254740993'],
    ['12::bigint', 12],
    ['1.10::numeric', '1.10'],
    ["'NaN'::float8", 'NaN'],
    ['true', true],
    ['null', null],
    ["'\\x00ff'::bytea", { base64: 'AP8=' }],
    ["date '2026-02-28'", '2026-02-28'],
    ["timestamp '2026-02-28 10:00:00.5'", '2026-02-28 10:00:00.5'],
    ['\'{"a":[1]}\'::jsonb', { a: [1] }],
    ["array['a', null, 'b,c']", ['a', null, 'b,c']],
    ["interval '1 day'", '1 day'],
  ])('answers %s as %j', async (expression, expected) => {
    expect((await ask(`select ${expression}`)).rows).toEqual([[expected]]);
  });

  test('answers no more rows than are wanted, and says that there are more', async () => {
    const answer = await ask('select generate_series(1, 100000000) n', { max_rows: 3 });
    expect(answer).toEqual({ columns: ['n'], rows: [[1], [2], [3]], note: MORE });
    expect((await ask('select n from generate_series(1, 3) n', { max_rows: 3 })).note).toBeUndefined();
  });

  test('finds out what the user may do, whatever the user has found first', async () => {
    await admin.query(
      `create schema ahead create view ahead.pg_roles as select * from pg_catalog.pg_roles where false`,
    );
    await admin.query(`grant usage on schema ahead to ${ROLE}; grant select on ahead.pg_roles to ${ROLE}`);
    await admin.query(`alter role ${ROLE} set search_path = ahead, pg_catalog, public`);
    await admin.query(`grant pg_read_server_files to ${ROLE}`);
    try {
      await expect(ask('select 1')).rejects.toThrow('may read files of the database server');
    } finally {
      await admin.query(`revoke pg_read_server_files from ${ROLE}; alter role ${ROLE} reset search_path`);
      await admin.query('drop schema ahead cascade');
    }
  });

  test('drops an answer that is too large for memory', async () => {
    await expect(ask("select repeat('x', 40000000)")).rejects.toThrow('The answer is larger than');
  });

  test.each([
    ["insert into herons values (2, 'purple')", 'allows no writes'],
    ["with w as (insert into herons values (2, 'purple') returning 1) select * from w", 'read-only transaction'],
    ['select add_heron()', 'calls public.add_heron, which may change something'],
    ['select * into copies from herons', 'read-only transaction'],
    ['explain analyze delete from herons', 'read-only transaction'],
    ['select * from herons for update', 'read-only transaction'],
    ["select lo_import('/etc/passwd')", 'allows no writes'],
    ["select set_config('transaction_read_only', 'off', true)", 'allows no writes'],
    ['select 1; delete from herons', 'refuses the statement'],
    ['select 1; commit; delete from herons', 'refuses the statement'],
    ['commit; delete from herons', 'COMMIT is not run'],
    ['set session characteristics as transaction read write', 'SET is not run'],
    ['set transaction read write', 'SET is not run'],
    ["copy herons to program 'sh'", 'COPY is not run'],
    ['do $$ begin delete from herons; end $$', 'allows no writes'],
    ["select pg_read_file('/etc/passwd')", 'calls pg_catalog.pg_read_file, which may change something'],
  ])('changes nothing, and reaches nothing else, by %j', async (sql, words) => {
    await expect(ask(sql)).rejects.toThrow(words);
    expect(await names()).toEqual(['grey', 'great']);
  });

  test.each([
    'tricks.shout()',
    'tricks . shout ()',
    'TRICKS.Shout/* ( */()',
    'tricks.shout -- (\n()',
    'tricks."shout"()',
    'tricks."Shout out"()',
    'tricks.größe(1)',
    'tricks."größe"/* " */(1)',
    'tricks.a$b()',
    "'\\' || tricks.shout() || '\\'",
    "E'\\'' || tricks.shout()",
    "$a$ ' $a$ || tricks.shout()",
    '(select x from (values (tricks.shout())) v(x))',
    'x from tricks.shout() x',
    'x from rows from (tricks.shout()) x',
    'x from herons, lateral tricks.shout() x',
    'coalesce(nullif(1, 1), (array[length(tricks.shout())])[1])',
    'h.of_row from herons h',
    '(h)."of_row" from herons h',
    'tricks.gathered(name) from herons',
    '1 operator(tricks.<+>) 2',
    'row(1)::tricks.pair::tricks.changed_pair',
    `tricks.${'x'.repeat(63)}yz()`,
  ])('does not run select %s as one that reads', async (expression) => {
    await expect(ask(`select ${expression}`)).rejects.toThrow(
      /calls (?:tricks|public)\..+, which may change something/,
    );
    expect((await ask(`select ${expression}`, { connection: 'writer', write: true })).rows).toBeDefined();
  });

  test.each([
    "select query_to_xml('select pg_advisory' || '_lock(990117)', true, false, '')",
    "select * from ts_stat('select to_tsvector(pg_advisory' || '_lock(990117)::text)')",
    'select pg_advisory_lock(990117)',
    'select pg_catalog."pg_advisory_lock"(990117)',
    'select U&"pg_advisory\\005flock"(990117)',
    "explain analyze select pg_sleep_for(interval '1 second')",
    "select pg_logical_emit_message(false, 'a', 'b')",
    "select pg_notify('a', 'b')",
  ])('asks for a person, and is not done where nothing may be written: %s', async (sql) => {
    expect(database.prepare({ sql })).toMatchObject({ effect: 'once' });
    await expect(ask(sql)).rejects.toThrow('allows no writes');
    const { rows } = await admin.query("select 1 from pg_locks where locktype = 'advisory' and objid = 990117");
    expect(rows).toEqual([]);
  });

  test.each([
    'select random() < 2, clock_timestamp() is null, gen_random_uuid() is null',
    "select pg_table_size('herons') > 1, count(*) from herons tablesample system (100)",
    "select lower(name), now() from herons where name <> 'pg_notify' and id in (1, 2)",
    'select calm(1)',
  ])('runs what only reads: %s', async (sql) => {
    expect((await ask(sql)).rows).not.toEqual([]);
  });

  test('runs what an extension brings to make ids, and nothing of others that is named so', async () => {
    const available = await admin.query("select from pg_available_extensions where name = 'uuid-ossp'");
    if (available.rowCount === 1) {
      await admin.query('create extension "uuid-ossp"');
      expect((await ask('select uuid_generate_v4() is null')).rows).toEqual([[false]]);
    }
    await admin.query("create function tricks.uuid_generate_v4() returns text language sql as $$ select 'a' $$");
    await expect(ask('select tricks.uuid_generate_v4()')).rejects.toThrow(
      'calls tricks.uuid_generate_v4, which may change',
    );
    await admin.query('drop function tricks.uuid_generate_v4()');
  });

  test.each(['writer', 'superuser'])('is not reached by a superuser, and copies nothing: %s', async (connection) => {
    await expect(ask("copy herons to program 'sh'", { connection })).rejects.toThrow('COPY is not run');
    const reading = ask("select pg_read_file('/etc/passwd'), lo_import('/etc/passwd')", { connection, write: true });
    await expect(reading).rejects.toThrow(
      connection === 'writer' ? 'permission denied' : 'give it a user that is no superuser',
    );
  });

  test('is changed where the integration allows it, and only by one statement that says so', async () => {
    const connection = 'writer';
    await expect(ask('select name from herons for update', { connection })).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('with `write` it runs where that is allowed'),
      isForeign: true,
    });
    await expect(ask('select add_heron()', { connection })).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('the call needs `write: true`, and an integration that allows writes'),
      isForeign: true,
    });
    const added = await ask("insert into herons values ($1, 'purple') returning id", { connection, params: [2] });
    expect(added).toEqual({ columns: ['id'], rows: [[2]], affected: 1 });
    expect(await names()).toEqual(['grey', 'purple', 'great']);
    expect((await ask('select add_heron()', { connection, write: true })).rows).toEqual([[3]]);
    await expect(ask('delete from herons; commit', { connection })).rejects.toThrow('refuses the statement');
    expect((await ask('delete from herons where id in (2, 3)', { connection })).affected).toBe(2);
    expect(await names()).toEqual(['grey', 'great']);
  });

  test('ends a statement that takes too long', async () => {
    const slow = 'select pg_sleep(100)';
    await expect(ask(slow, { connection: 'writer', write: true, timeout_s: 1 })).rejects.toMatchObject({
      kind: 'timeout',
    });
    await expect(ask('select count(*) from generate_series(1, 10000000000)', { timeout_s: 1 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  test('ends the statement of a call that is interrupted', async () => {
    const controller = new AbortController();
    const sql = 'select pg_sleep(99), $1';
    const call = prepareCall(database, { connection: 'writer', sql, params: ['mine'], write: true });
    const running = call.run(tools.options.contextFor(controller.signal));
    const under = async () => {
      const { rows } = await admin.query(
        `select 1 from pg_stat_activity where query like 'select pg_sleep(99)%' and state = 'active'`,
      );
      return rows.length;
    };
    await waitUntil('the statement runs', async () => ((await under()) === 1 ? true : undefined));
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await waitUntil('the statement has ended', async () => ((await under()) === 0 ? true : undefined));
  });

  test('says what is wrong in words without the password', async () => {
    await expect(ask('select 1', { connection: 'stranger' })).rejects.toMatchObject({
      kind: 'denied',
      message: 'PostgreSQL has rejected the credentials: somebody must check the integration',
    });
    const wrong = ask(`select '${PASSWORD}'::int`);
    await expect(wrong).rejects.toMatchObject({ kind: 'invalid_input', isForeign: true });
    await expect(wrong).rejects.not.toThrow(PASSWORD);
    await expect(ask('select nothing')).rejects.toThrow('column "nothing" does not exist (42703)');
  });

  test('is not signed in to in the open when the connection should be encrypted', async () => {
    await expect(ask('select 1', { connection: 'encrypted' })).rejects.toThrow('offers no encryption there');
  });
});

describe('a PostgreSQL server that encrypts', () => {
  let certificate: Certificate;
  let front: Server;
  let tools: TestTools;
  const ask = asker(() => tools);

  beforeAll(async () => {
    certificate = await makeCertificate();
    const { port, username, password, pathname } = new URL((await sharedPostgres()).url);
    // Answers the request for encryption, and passes on what comes decrypted to a server without it.
    front = createServer((socket) => {
      socket.once('data', () => {
        socket.write('S');
        const open = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
        const server = connect(Number(port), '127.0.0.1');
        for (const each of [socket, open, server]) each.on('error', () => server.destroy());
        open.pipe(server).pipe(open);
      });
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const at = front.address() as AddressInfo;
    const integration = (name: string, host: string, ca?: string): TestIntegration => ({
      kind: 'postgres',
      name,
      apiUrl: `postgres://${host}:${at.port}${pathname}`,
      fields: [],
      secretPlaces: [],
      secrets: { user: username, password: decodeURIComponent(password), ...(ca !== undefined && { ca }) },
    });
    tools = await createTestTools({
      privateHosts: `127.0.0.1:${at.port},localhost:${at.port}`,
      integrations: [
        integration('trusted', '127.0.0.1', certificate.cert),
        integration('unknown', '127.0.0.1'),
        integration('misnamed', 'localhost', certificate.cert),
      ],
    });
  });
  afterAll(async () => {
    await tools.close();
    front.close();
  });

  test('is asked when its certificate is valid for the host', async () => {
    expect((await ask('select 1', { connection: 'trusted' })).rows).toEqual([[1]]);
  });

  test.each(['unknown', 'misnamed'])('is told nothing when its certificate is %s', async (connection) => {
    await expect(ask('select 1', { connection })).rejects.toThrow('its certificate is invalid');
  });
});

describeWithProgram('a MariaDB database', ['mariadbd'], (path) => {
  let server: StartedProgram;
  let tools: TestTools;
  const ask = asker(() => tools);

  beforeAll(async () => {
    const certificate = await makeCertificate('DNS:localhost');
    server = await startMariaDb(path, certificate, [
      'create database birds',
      'create table birds.herons (id bigint unsigned primary key, name varchar(50), photo varbinary(10), seen datetime)',
      "insert into birds.herons values (1, 'grey', x'00ff', '2026-02-28 10:00:00')",
      `create user agents@'127.0.0.1' identified by '${PASSWORD}'`,
      "grant select, insert, update, delete, create on birds.* to agents@'127.0.0.1'",
      `create user filer@'127.0.0.1' identified by '${PASSWORD}'`,
      "grant file on *.* to filer@'127.0.0.1'",
      `create user boss@'127.0.0.1' identified by '${PASSWORD}'`,
      "grant all on *.* to boss@'127.0.0.1'",
    ]);
    const at = {
      kind: 'mysql',
      apiUrl: `mysql://127.0.0.1:${server.port}/birds`,
      fields: [],
      secretPlaces: [],
      settings: { tls: 'off', allow_writes: 'yes' },
      secrets: { user: 'agents', password: PASSWORD },
    } as const;
    const encrypted = { ...at, apiUrl: `mysql://localhost:${server.port}/birds`, settings: {} };
    tools = await createTestTools({
      privateHosts: `127.0.0.1:${server.port},localhost:${server.port}`,
      integrations: [
        { ...at, name: 'reader', settings: { tls: 'off' } },
        { ...at, name: 'writer' },
        { ...at, name: 'stranger', secrets: { user: 'agents', password: 'something-else' } },
        {
          ...at,
          name: 'filer',
          apiUrl: `mysql://127.0.0.1:${server.port}`,
          secrets: { user: 'filer', password: PASSWORD },
        },
        { ...at, name: 'boss', secrets: { user: 'boss', password: PASSWORD } },
        { ...at, name: 'address', settings: {} },
        { ...encrypted, name: 'unknown' },
        { ...encrypted, name: 'trusted', secrets: { ...at.secrets, ca: certificate.cert } },
      ],
    });
  });
  afterAll(async () => {
    await tools.close();
    await server.stop();
  });

  const names = async () => (await ask('select name from herons order by id')).rows.flat();

  test('answers with columns and rows, and binds parameters', async () => {
    expect(await ask('select * from herons where name = ? or name = ?', { params: ['grey', "' or 1=1"] })).toEqual({
      columns: ['id', 'name', 'photo', 'seen'],
      rows: [[1, 'grey', { base64: 'AP8=' }, '2026-02-28 10:00:00']],
    });
    expect((await ask('select 18446744073709551615 as n, 1.10 as d, null as x')).rows).toEqual([
      ['18446744073709551615', '1.10', null],
    ]);
  });

  test('answers no more rows than are wanted, and gives up what is too large', async () => {
    const answer = await ask('select seq from seq_1_to_100000', { max_rows: 2 });
    expect(answer).toEqual({ columns: ['seq'], rows: [[1], [2]], note: MORE });
    await expect(ask("select repeat('x', 9000000), repeat('y', 9000000)")).rejects.toThrow('The answer is larger than');
  });

  test.each([
    ["insert into herons (id, name) values (2, 'purple')", 'allows no writes'],
    ['select 1; delete from herons', 'refuses the statement'],
    ['commit; delete from herons', 'COMMIT is not run'],
    ['set session transaction read write', 'SET is not run'],
    ["load data local infile '/etc/passwd' into table herons", 'LOAD is not run'],
    ["select /*!50000 1 into outfile '/tmp/x' */", 'are not allowed'],
    ["select 1 into outfile '/tmp/everturn-out'", 'you need (at least one of) the FILE privilege'],
    ["select load_file('/etc/passwd')", 'allows no writes'],
    ["select get_lock('a', 0)", 'allows no writes'],
    ['select `sleep` /* a */ (1)', 'allows no writes'],
  ])('changes nothing, and reaches nothing else, by %j', async (sql, words) => {
    await expect(ask(sql)).rejects.toThrow(words);
    expect(await names()).toEqual(['grey']);
  });

  test.each(['filer', 'boss'])('is not reached by one who may read files of its server: %s', async (connection) => {
    await expect(ask('select 1', { connection })).rejects.toThrow('give it a user that may not');
  });

  test('is changed where the integration allows it', async () => {
    const connection = 'writer';
    await expect(ask('select name from herons for update', { connection })).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('with `write` it runs'),
      isForeign: true,
    });
    expect((await ask('select name from herons for update', { connection, write: true })).rows).toEqual([['grey']]);
    expect((await ask("select load_file('/etc/passwd')", { connection })).rows).toEqual([[null]]);
    const added = await ask('insert into herons (id, name) values (?, ?)', { connection, params: [2, 'purple'] });
    expect(added).toMatchObject({ rows: [], affected: 1 });
    expect(await names()).toEqual(['grey', 'purple']);
    expect((await ask('delete from herons where id = 2', { connection })).affected).toBe(1);
  });

  test('ends a statement that takes too long, or whose call is interrupted', async () => {
    const slow = 'select count(*) from seq_1_to_100000 a, seq_1_to_100000 b where a.seq % 7 = b.seq % 5';
    await expect(ask(slow, { timeout_s: 1 })).rejects.toMatchObject({ kind: 'timeout' });
    const controller = new AbortController();
    const call = prepareCall(database, { connection: 'reader', sql: slow });
    const running = call.run(tools.options.contextFor(controller.signal));
    const under = async () =>
      (await ask("select id from information_schema.processlist where info like 'select count(%'")).rows.length;
    await waitUntil('the statement runs', async () => ((await under()) === 1 ? true : undefined));
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await waitUntil('the statement has ended', async () => ((await under()) === 0 ? true : undefined));
  });

  test('says what is wrong in words without the password', async () => {
    await expect(ask('select 1', { connection: 'stranger' })).rejects.toThrow('MySQL has rejected the credentials');
    await expect(ask('select nothing')).rejects.toThrow(/Unknown column 'nothing'.*\(1054\)/);
    await expect(ask('select 1', { connection: 'address' })).rejects.toThrow('needs a host name');
  });

  test('is asked over an encrypted connection when its certificate is valid for the host', async () => {
    const { rows } = await ask("show session status like 'Ssl_version'", { connection: 'trusted' });
    expect(rows).toEqual([['Ssl_version', expect.stringMatching(/^TLSv1/)]]);
    await expect(ask('select 1', { connection: 'unknown' })).rejects.toThrow('its certificate is invalid');
  });
});
