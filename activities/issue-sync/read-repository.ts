import { z } from 'zod';
import { secondOf } from '../../domain/issue-sync/index.ts';
import { type CodeHost, readJson } from '../code-hosts/index.ts';

/** What a host tells of a repository. */
interface RepositoryFacts {
  /** Its id, which stays when it is renamed. */
  readonly repoId: string;
  /** The time by the clock of the host. */
  readonly hostTime: Date;
}

const MAX_BYTES = 1024 ** 2;
/** How far the clock of a host that does not tell the time may be behind. */
const MAX_LAG_MS = 300_000;

const repositorySchema = z.object({ id: z.int().positive() });

/** Asks a host for its repository: whether it is there, and may be read. */
export async function readRepository(host: CodeHost): Promise<RepositoryFacts> {
  const answer = await host.request({ path: '', maxBytes: MAX_BYTES });
  const { id } = readJson(host, answer, repositorySchema);
  const told = secondOf(answer.headers.get('date') ?? '');
  return { repoId: String(id), hostTime: told ?? new Date(Date.now() - MAX_LAG_MS) };
}
