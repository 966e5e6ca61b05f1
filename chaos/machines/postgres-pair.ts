import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Credentials, findPostgresBinaries, initCluster } from '../../scripts/stack/postgres/init-cluster.ts';
import { postgresSettings, startPostgres } from '../../scripts/stack/postgres/start-postgres.ts';
import { chooseRunAs } from '../../scripts/stack/postgres/unprivileged.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { Machine } from './machine.ts';
import { DATABASE_ADDRESS, type Network } from './network.ts';

const PORT = 5432;
/** Of the role `temporal`, which is known to this run alone. */
const TEMPORAL_PASSWORD = 'temporal';
const SETTINGS = {
  listen_addresses: '*',
  max_connections: '300',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '256MB',
  // A primary whose machine is gone is noticed by its replica, and the other way round.
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
};
const silent = (): void => undefined;

/** PostgreSQL on two machines: a primary, and a replica that confirms each commit. */
export class PostgresPair {
  readonly #network: Network;
  readonly #credentials: Credentials;
  #primary: Machine;
  #replica: Machine;

  private constructor(network: Network, credentials: Credentials, [primary, replica]: [Machine, Machine]) {
    this.#network = network;
    this.#credentials = credentials;
    this.#primary = primary;
    this.#replica = replica;
  }

  /** Starts the primary with empty databases for the platform and for Temporal, and its replica. */
  static async start(network: Network, machines: [Machine, Machine]): Promise<PostgresPair> {
    const [primary] = machines;
    await createDatabases(primary.disk);
    const { postgres } = findPostgresBinaries();
    const runAs = chooseRunAs(postgres, primary.disk);
    const credentials = await initCluster(primary.disk, findPostgresBinaries(), runAs, silent);
    const rule = '10.99.0.0/24 scram-sha-256\n';
    appendFileSync(join(primary.disk, 'cluster/pg_hba.conf'), `host all all ${rule}host replication all ${rule}`);
    const pair = new PostgresPair(network, credentials, machines);
    await network.moveDatabase(primary.name);
    await pair.#run(primary);
    await pair.#addReplica();
    return pair;
  }

  get primary(): Machine {
    return this.#primary;
  }

  get replica(): Machine {
    return this.#replica;
  }

  /** The address of the platform's database for the service, for the owner of its tables, or for the superuser. */
  url(role: 'service' | 'everturn' | 'superuser', host: string = DATABASE_ADDRESS): string {
    const user = { service: 'everturn_service', everturn: 'everturn', superuser: 'postgres' }[role];
    return `postgres://${user}:${this.#credentials[role]}@${host}:${PORT}/everturn`;
  }

  /** How Temporal connects. */
  get temporalAccess() {
    return { host: DATABASE_ADDRESS, port: PORT, user: 'temporal', password: TEMPORAL_PASSWORD };
  }

  /** Has the replica take the place of the primary, whose machine is off. */
  async failOver(): Promise<void> {
    const [former, next] = [this.#primary, this.#replica];
    await this.#on(next, async (client) => {
      await client.query('alter system reset synchronous_standby_names');
      await client.query('select pg_reload_conf()');
      await client.query('select pg_promote()');
    });
    await this.#network.moveDatabase(next.name, former.name);
    [this.#primary, this.#replica] = [next, former];
  }

  /** Makes the former primary, whose machine is on again, the replica. */
  async rejoin(): Promise<void> {
    await this.#replica.turnOff();
    rmSync(join(this.#replica.disk, 'cluster'), { recursive: true });
    await this.#addReplica();
  }

  async #addReplica(): Promise<void> {
    const [from, to] = [this.#primary, this.#replica];
    const cluster = join(to.disk, 'cluster');
    const label = await this.#on(from, async (client) => {
      await client.query(`select pg_backup_start('replica', true)`);
      execFileSync('cp', ['-a', join(from.disk, 'cluster'), cluster]);
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
      return rows[0]?.labelfile ?? '';
    });
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
    const { uid, gid } = statSync(cluster);
    for (const [name, content] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
      writeFileSync(join(cluster, name), content);
      chownSync(join(cluster, name), uid, gid);
    }
    await (to.hasPrograms ? to.restart() : this.#run(to));
    await this.#on(from, async (client) => {
      await waitUntil('the replica to stream', async () => {
        const { rowCount } = await client.query(`select 1 from pg_stat_replication where state = 'streaming'`);
        return (rowCount ?? 0) > 0 ? 'streaming' : undefined;
      });
      // From now on a commit that was confirmed is on both machines.
      await client.query(`alter system set synchronous_standby_names = '*'`);
      await client.query('select pg_reload_conf()');
    });
  }

  async #run(machine: Machine): Promise<void> {
    const { postgres } = findPostgresBinaries();
    const other = machine === this.#primary ? this.#replica : this.#primary;
    const connection = `host=${other.address} port=${PORT} user=postgres password=${this.#credentials.superuser}`;
    const values = { ...postgresSettings, ...SETTINGS, port: PORT, primary_conninfo: connection };
    const settings = Object.entries(values).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const program = chooseRunAs(postgres, machine.disk).wrap(postgres, [
      '-D',
      join(machine.disk, 'cluster'),
      ...settings,
    ]);
    await machine.run({
      name: 'postgres',
      ...program,
      env: { LC_ALL: 'C' },
      isUp: async () => this.#on(machine, async (client) => (await client.query('select 1')).rowCount === 1),
    });
  }

  async #on<T>(machine: Machine, use: (client: pg.Client) => Promise<T>): Promise<T> {
    const connectionString = this.url('superuser', machine.address);
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
    client.on('error', silent);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }
}

/** Creates the cluster and its databases with a server on this machine, which is stopped again. */
async function createDatabases(disk: string): Promise<void> {
  mkdirSync(disk, { recursive: true });
  const settings = { wal_level: SETTINGS.wal_level };
  const { adminUrl, stop } = await startPostgres({ dataDir: disk, port: PORT, log: silent, settings });
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create role temporal login password '${TEMPORAL_PASSWORD}'`);
  for (const name of ['temporal', 'temporal_visibility']) await client.query(`create database ${name} owner temporal`);
  await client.end();
  await stop();
}
