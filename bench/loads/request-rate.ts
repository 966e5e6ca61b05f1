import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { TestUser } from '../../test/support/factories.ts';
import { quantile } from '../figures/statistics.ts';

/** The figures of one user's requests for a path. */
interface RequestFigures {
  /** Milliseconds of each request with no other beside it. */
  readonly singly: number[];
  /** Requests a second with several at once, of each round. */
  readonly rates: number[];
}

/** A user, and the path they request. */
export interface Asker {
  readonly name: string;
  readonly user: TestUser;
  readonly path: string;
  readonly figures: RequestFigures;
}

const CONNECTIONS = 8;
const SINGLE_REQUESTS = 50;

/** Lets each ask in turns, so that a machine that is slow for a while is slow for all of them. */
export async function measureRequests(
  apiUrl: string,
  askers: readonly Asker[],
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const pool = new Pool(apiUrl, { connections: CONNECTIONS });
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const asker of askers) {
      const figures = round === 0 ? { singly: [], rates: [] } : asker.figures;
      await askSingly(pool, asker, figures);
      await askAtOnce(pool, asker, figures, roundMs);
    }
  }
  await pool.close();
}

/** Returns the median of the rates, and of the requests one at a time. */
export function mediansOf({ figures: { singly, rates } }: Asker): { rate: number; ms: number } {
  return { rate: quantile(rates, 0.5), ms: quantile(singly, 0.5) };
}

async function askSingly(pool: Pool, asker: Asker, figures: RequestFigures): Promise<void> {
  for (let count = 0; count < SINGLE_REQUESTS; count += 1) {
    const startedAt = performance.now();
    await ask(pool, asker);
    figures.singly.push(performance.now() - startedAt);
  }
}

async function askAtOnce(pool: Pool, asker: Asker, figures: RequestFigures, roundMs: number): Promise<void> {
  const over = new AbortController();
  let count = 0;
  const startedAt = performance.now();
  const asking = Array.from({ length: CONNECTIONS }, async () => {
    while (!over.signal.aborted) {
      await ask(pool, asker);
      count += 1;
    }
  });
  await sleep(roundMs);
  over.abort();
  await Promise.all(asking);
  figures.rates.push((count * 1000) / (performance.now() - startedAt));
}

async function ask(pool: Pool, { user, path }: Asker): Promise<void> {
  const headers = { authorization: `Bearer ${user.accessToken}` };
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
  // Beyond its limit it would close the connection, and the next request open another one.
  await body.dump({ limit: Number.MAX_SAFE_INTEGER });
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}`);
}

/** Does work so many times, a few at a time, each with its number from 0 on. */
export async function atOnce(count: number, width: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: Math.min(width, count) }, async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await work(at);
    }
  });
  await Promise.all(workers);
}
