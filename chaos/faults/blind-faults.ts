import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import type { Part } from '../../test/support/test-stack.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import type { BlindFault, PlannedFault, Scene } from './plan-faults.ts';

const UP_LIMIT_MS = 60_000;
const SCHEDULE_LIMIT_MS = 180_000;

type BlindInjection = (scene: Scene, fault: PlannedFault) => Promise<void>;

const killing =
  (part: Part): BlindInjection =>
  async ({ installation: { stack } }) =>
    void (await stack.end(part).backUp());

const ending =
  (part: Part): BlindInjection =>
  async ({ installation: { stack } }) =>
    void (await stack.end(part, 'SIGTERM').backUp());

const pausing =
  (part: Part): BlindInjection =>
  async ({ installation: { stack } }, { lengthMs }) => {
    stack.freeze(part);
    await sleep(lengthMs);
    // Its supervisor may have lost patience.
    await waitUntil(`${part} to run`, () => stack.pid(part), UP_LIMIT_MS);
    stack.thaw(part);
  };

/** Has the supervisor start Temporal again without anything that it knew. */
const losingStore: BlindInjection = async ({ installation: { stack } }) => {
  stack.freezeSupervisor();
  const fault = stack.end('temporal');
  await waitUntil('Temporal to have ended', () => (stack.pid('temporal') === undefined ? true : undefined));
  stack.deleteTemporalStore();
  stack.thawSupervisor();
  await fault.backUp();
};

const deletingSchedule: BlindInjection = async ({ installation: { stack } }) => {
  const connection = await Connection.connect({ address: `127.0.0.1:${stack.ports.temporal}` });
  try {
    const handle = new Client({ connection }).schedule.getHandle(housekeepingId({ interval: 'hour' }));
    // After the loss of the store it takes a minute to be there again.
    await waitUntil(
      'a system Schedule to delete',
      async () => handle.delete().then(() => true, unlessGone),
      SCHEDULE_LIMIT_MS,
    );
  } finally {
    await connection.close();
  }
};

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}

/** Injects the faults that strike whatever is under way; each resolves when what it hit is up again. */
export const BLIND_INJECTIONS: Readonly<Record<BlindFault, BlindInjection>> = {
  'kill worker': killing('worker'),
  'kill api': killing('api'),
  'kill Temporal': killing('temporal'),
  'kill PostgreSQL': killing('postgres'),
  'end worker': ending('worker'),
  'end api': ending('api'),
  'end api in a reconnect storm': async ({ clients, ...deps }, fault) => {
    for (const client of clients) client.drop();
    // They come back 100 to 200 ms later.
    await sleep(100 + (fault.lengthMs % 100));
    await ending('api')({ clients, ...deps }, fault);
  },
  'pause worker': pausing('worker'),
  'pause api': pausing('api'),
  'pause Temporal': pausing('temporal'),
  'pause PostgreSQL': pausing('postgres'),
  'pause model': async ({ installation: { outside } }, { lengthMs }) => outside.pause(Math.min(lengthMs, 5_000)),
  'kill spare worker': async ({ installation: { spare } }) => {
    const { pid } = spare;
    spare.signal('SIGKILL');
    await spare.backUp(pid);
  },
  'pause spare worker': async ({ installation: { spare } }, { lengthMs }) => {
    spare.signal('SIGSTOP');
    await sleep(lengthMs);
    spare.signal('SIGCONT');
  },
  'kill both workers': async ({ installation: { stack, spare } }) => {
    const { pid } = spare;
    const killed = stack.end('worker');
    spare.signal('SIGKILL');
    await Promise.all([killed.backUp(), spare.backUp(pid)]);
  },
  'kill everything': async ({ installation: { stack, spare } }) => {
    const { pid } = spare;
    spare.signal('SIGKILL');
    await stack.killAll();
    await stack.startAgain();
    await spare.backUp(pid);
  },
  'lose Temporal store': losingStore,
  'delete system Schedule': deletingSchedule,
  'drop clients': async ({ clients }, { share }) => {
    // Evenly over all chats, the same ones each time for the same share.
    for (const [at, client] of clients.entries()) if ((at * 7) % 10 < share * 10) client.drop();
  },
  'cut database connections': async ({ installation: { stack } }, { share }) => {
    await stack.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and (pid * 7) % 10 < $1`,
      [Math.round(share * 10)],
    );
  },
};
