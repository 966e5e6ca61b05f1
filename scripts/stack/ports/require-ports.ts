import { StartFailure } from '../core/start-failure.ts';
import type { Settings } from '../env.ts';
import { type WantedPort, requirePort } from './ports.ts';

/**
 * Resolves when all ports of a start are free; otherwise names all that are not at once, so that one correction is
 * enough.
 */
export async function requirePorts(settings: Settings): Promise<void> {
  const results = await Promise.allSettled(wantedPorts(settings).map(requirePort));
  const messages = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason?.message)] : []));
  if (messages.length > 0) throw new StartFailure(messages.join('\n'));
}

function wantedPorts({
  PORT,
  HOST,
  DATABASE_URL,
  POSTGRES_PORT,
  TEMPORAL_ADDRESS,
  TEMPORAL_PORT,
}: Settings): WantedPort[] {
  const wanted: WantedPort[] = [{ port: PORT, host: HOST, part: 'the api', variable: 'PORT' }];
  if (DATABASE_URL === undefined)
    wanted.push({ port: POSTGRES_PORT, host: '127.0.0.1', part: 'PostgreSQL', variable: 'POSTGRES_PORT' });
  if (TEMPORAL_ADDRESS === undefined)
    wanted.push({ port: TEMPORAL_PORT, host: '127.0.0.1', part: 'Temporal', variable: 'TEMPORAL_PORT' });
  return wanted;
}
