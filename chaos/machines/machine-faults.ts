import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineFault } from '../faults/plan-faults.ts';
import type { MachineName } from './network.ts';
import { findFaketime } from './programs.ts';
import type { Machines } from './start-machines.ts';

/** Injects a fault into machines; resolves when it is over. */
type MachineInjection = (machines: Machines) => Promise<void>;

/** Longer than a lease, and than what connections take to notice. */
const OUTAGE_MS = 12_000;
const DISTURBED_MS = 15_000;
/** What an operator's program takes to notice that the primary is gone. */
const NOTICED_MS = 3_000;
const WRONG_SECONDS = 300;

/** Nothing comes from the machine any more, not even the end of its connections; then it starts again. */
const losing =
  (name: MachineName): MachineInjection =>
  async ({ network, machine }) => {
    await network.isolate(name);
    await machine(name).turnOff();
    await sleep(OUTAGE_MS);
    await network.heal();
    machine(name).turnOn();
  };

const cutting =
  (a: MachineName, ...others: readonly MachineName[]): MachineInjection =>
  async ({ network }) => {
    for (const b of others) await network.cut(a, b);
    await sleep(OUTAGE_MS);
    await network.heal();
  };

const cuttingFromDatabase =
  (...names: readonly MachineName[]): MachineInjection =>
  async (machines) => {
    const { primary } = machines.postgres;
    await cutting(primary.name, ...names)(machines);
  };

const disturbing =
  (link: { readonly delayMs?: number; readonly loss?: number }): MachineInjection =>
  async ({ network }) => {
    await network.disturb(link);
    await sleep(DISTURBED_MS);
    await network.heal();
  };

const filling =
  (choose: (machines: Machines) => MachineName): MachineInjection =>
  async (machines) => {
    const empty = await machines.machine(choose(machines)).fillDisk();
    await sleep(OUTAGE_MS);
    empty();
  };

const misleading =
  (name: MachineName, clockSeconds: number): MachineInjection =>
  async ({ machine }) => {
    const library = findFaketime();
    if (library === undefined) throw new Error('libfaketime is not installed');
    await machine(name).turnOff();
    machine(name).turnOn({ clockSeconds, library });
    await sleep(DISTURBED_MS);
    await machine(name).turnOff();
    machine(name).turnOn();
  };

const failingOver: MachineInjection = async ({ network, postgres }) => {
  const { primary } = postgres;
  await network.isolate(primary.name);
  await primary.turnOff();
  await sleep(NOTICED_MS);
  await postgres.failOver();
  await network.heal();
  await postgres.rejoin();
};

/** Injects the faults that strike machines and the network between them. */
export const MACHINE_INJECTIONS: Readonly<Record<MachineFault, MachineInjection>> = {
  'lose machine of api': losing('api-1'),
  'lose machine of worker': losing('worker-1'),
  'lose machine of Temporal': losing('temporal-1'),
  'lose machine of history': losing('temporal-2'),
  'lose machine of PostgreSQL': async (machines) => losing(machines.postgres.primary.name)(machines),
  'lose machine of files': losing('files'),
  'lose load balancer': losing('balancer'),
  'cut load balancer off from api': cutting('balancer', 'api-1'),
  'cut api off from PostgreSQL': cuttingFromDatabase('api-1'),
  'cut api off from Temporal': cutting('api-1', 'temporal-1', 'temporal-2'),
  'cut worker off from PostgreSQL': cuttingFromDatabase('worker-1'),
  'cut worker off from Temporal': cutting('worker-1', 'temporal-1', 'temporal-2'),
  'cut worker off from model': cutting('worker-1', 'users'),
  'cut worker off from files': cutting('worker-1', 'files'),
  'cut Temporal off from history': cutting('temporal-1', 'temporal-2'),
  'cut Temporal off from PostgreSQL': cuttingFromDatabase('temporal-1', 'temporal-2'),
  'cut PostgreSQL off from replica': cutting('db-1', 'db-2'),
  'slow network': disturbing({ delayMs: 100 }),
  'lossy network': disturbing({ loss: 0.05 }),
  'full disk of worker': filling(() => 'worker-1'),
  'full disk of PostgreSQL': filling(({ postgres }) => postgres.primary.name),
  'wrong clock of worker': misleading('worker-1', WRONG_SECONDS),
  'wrong clock of api': misleading('api-1', -WRONG_SECONDS),
  'fail over PostgreSQL': failingOver,
};
