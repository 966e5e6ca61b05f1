import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import type { Attacker } from './attacker.ts';
import { RawConnection, requestHead } from './raw-connection.ts';
import { tally } from './tally.ts';

/** As many as one connection may have waiting. */
const AT_ONCE = 8;

interface Pipeline {
  /** Method and path. */
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Of this machine; each connection comes from the next one. */
  readonly addresses?: readonly string[];
}

/** Asks for something eight at a time over many connections, again whenever there is an answer. */
export async function pipeline(
  attacker: Attacker,
  { line, headers, connections, addresses = [] }: Pipeline,
): Promise<string> {
  const requests = requestHead(attacker, line, headers).repeat(AT_ONCE);
  const open = await Promise.all(
    Array.from({ length: connections }, (_, at) => RawConnection.open(attacker, addresses[at % addresses.length])),
  );
  const part = attacker.begun();
  let asked = 0;
  await Promise.all(
    open.map(async (connection) => {
      do {
        const before = connection.receivedBytes;
        asked += AT_ONCE;
        await connection.deliver(requests);
        while (connection.receivedBytes === before && !connection.isClosed && !part.isOver) await sleep(20);
      } while (!connection.isClosed && !part.isOver);
    }),
  );
  const isAnswered = () => open.some(({ receivedBytes }) => receivedBytes > 0) || undefined;
  await waitUntil('the first answers', isAnswered);
  const statuses = await Promise.all(open.map(async (connection) => connection.status(200)));
  const bytes = open.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  return `${asked} asked for, ${Math.round(bytes / 1_000_000)} MB read, first ${tally(statuses)}`;
}
