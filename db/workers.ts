import type { CliProvider } from '../domain/providers/credential-forms.ts';
import type { WorkerFeature } from '../domain/tools/needs.ts';
import type { Database } from './core/database.ts';

/** What a worker may lack: features that tools need, and the programs of providers. */
type WorkerPart = WorkerFeature | CliProvider;

/** Why, for each part that a worker lacks. */
export type WorkerLacks = Readonly<Partial<Record<WorkerPart, string>>>;

/** A worker that was not seen for so long is gone. */
const GONE_AFTER = '1 minute';

const NO_WORKER = 'no worker is running';

/** What a worker reports of itself. */
export interface WorkerReport {
  readonly lacks: WorkerLacks;
  /** The free space on the disk of its workspaces, in bytes; null when that could not be read. */
  readonly workspaceFreeBytes: number | null;
}

/** Stores a worker's report, which also shows that it is alive; forgets workers that are gone. */
export async function reportWorker(
  { system }: Pick<Database, 'system'>,
  id: string,
  { lacks, workspaceFreeBytes }: WorkerReport,
): Promise<void> {
  await system.query(
    `with gone as (delete from workers where seen_at < now() - interval '${GONE_AFTER}' and id <> $1)
      insert into workers (id, seen_at, lacks, workspace_free_bytes) values ($1, now(), $2, $3)
      on conflict (id) do update set seen_at = excluded.seen_at, lacks = excluded.lacks,
        workspace_free_bytes = excluded.workspace_free_bytes`,
    [id, JSON.stringify(lacks), workspaceFreeBytes],
  );
}

/**
 * Records which workflow code a worker runs, by a fingerprint, and returns whether all workers that run have the same:
 * not so during a rolling upgrade.
 */
export async function agreeOnWorkflows(
  { system }: Pick<Database, 'system'>,
  id: string,
  fingerprint: string,
): Promise<boolean> {
  const { rows } = await system.query(
    `with noted as (update workers set workflows = $2 where id = $1)
      select from workers where id <> $1 and seen_at > now() - interval '${GONE_AFTER}' and workflows <> $2`,
    [id, fingerprint],
  );
  return rows.length === 0;
}

/** Counts the workers that run. */
export async function countWorkers({ system }: Pick<Database, 'system'>): Promise<number> {
  const { rows } = await system.query<{ count: number }>(
    `select count(*)::int as count from workers where seen_at > now() - interval '${GONE_AFTER}'`,
  );
  return rows[0]?.count ?? 0;
}

/** Returns what is free on the fullest disk of workspaces, in bytes; undefined when no worker reports one. */
export async function leastWorkspaceFreeBytes({ system }: Pick<Database, 'system'>): Promise<number | undefined> {
  const { rows } = await system.query<{ bytes: number | null }>(
    `select min(workspace_free_bytes)::float8 as bytes from workers where seen_at > now() - interval '${GONE_AFTER}'`,
  );
  return rows[0]?.bytes ?? undefined;
}

/**
 * Returns why the given parts are not available: any worker may run a call, so each must have them. Nothing is read
 * when none are given.
 */
export async function readLacking<Part extends WorkerPart>(
  { system }: Pick<Database, 'system'>,
  wanted: readonly Part[],
): Promise<Readonly<Partial<Record<Part, string>>>> {
  const lacks: Partial<Record<Part, string>> = {};
  if (wanted.length === 0) return lacks;
  const { rows } = await system.query<{ readonly lacks: WorkerLacks }>(
    `select lacks from workers where seen_at > now() - interval '${GONE_AFTER}' order by id`,
  );
  for (const part of wanted) {
    const reason = rows.length === 0 ? NO_WORKER : rows.map((row) => row.lacks[part]).find(Boolean);
    if (reason !== undefined) lacks[part] = reason;
  }
  return lacks;
}
