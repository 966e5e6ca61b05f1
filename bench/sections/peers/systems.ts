import { setTimeout as sleep } from 'node:timers/promises';
import type { Undo } from '../../../test/support/undo.ts';
import { Driver } from '../../drivers/driver.ts';
import { type CpuMeters, cpuMs, type IdleCpu, measureIdleCpu, memoryMegabytes } from '../../figures/cpu-window.ts';
import { sum } from '../../figures/statistics.ts';
import { instanceMeters, PARTS } from '../../instance/instance.ts';
import { startPeer } from '../../peers/start-peer.ts';
import type { Bench } from '../../section.ts';

/** Something of the product and of each of its peers. */
export interface BySystem<Value> {
  readonly everturn: Value;
  readonly dbos: Value;
  readonly floor: Value;
}

/** A new chat for each turn, over HTTP, or chats that stand open, over their sockets. */
export type Shape = 'new' | 'standing';

/** A program that serves chats, with all its processes. */
export interface System {
  /** Those of the model among them. */
  readonly meters: CpuMeters;
  readonly idle: IdleCpu;
  readonly temporalAddress?: string;
  startDriver(shape: Shape, callers: number): Promise<Driver>;
  /** The memory of all processes in MB (PSS). */
  memory(): number;
}

/** After a start, until a process does nothing but wait. */
const SETTLE_MS = 2_000;

/** Starts the peers beside the product. */
export async function startSystems(bench: Bench, undo: Undo): Promise<BySystem<System>> {
  const floor = await startPeerSystem('floor', bench, undo);
  const dbos = await startPeerSystem('dbos', bench, undo);
  return { floor, dbos, everturn: productOf(bench, undo) };
}

/** Runs `work` for one system after the other, so that none disturbs another. */
export async function eachSystem<From, To>(
  { everturn, dbos, floor }: BySystem<From>,
  work: (from: From) => Promise<To>,
): Promise<BySystem<To>> {
  return { floor: await work(floor), dbos: await work(dbos), everturn: await work(everturn) };
}

/** Maps the value of each system. */
export function mapSystems<From, To>({ everturn, dbos, floor }: BySystem<From>, of: (from: From) => To): BySystem<To> {
  return { everturn: of(everturn), dbos: of(dbos), floor: of(floor) };
}

function productOf({ instance, idle }: Bench, undo: Undo): System {
  const { apiUrl, model, temporalAddress } = instance;
  return {
    meters: instanceMeters(instance),
    idle,
    temporalAddress,
    startDriver: async (shape, callers) =>
      startDriver(shape === 'new' ? 'new-chats' : 'chats', [apiUrl, model.url, String(callers)], undo),
    memory: () => memoryOf(PARTS.map((part) => instance.pid(part) ?? 0)),
  };
}

async function startPeerSystem(program: 'dbos' | 'floor', bench: Bench, undo: Undo): Promise<System> {
  const { model } = bench.instance;
  const { url, pids } = await startPeer(program, model.url, undo);
  const meters = new Map([...pids, ['model', model.pid] as const].map(([name, pid]) => [name, () => cpuMs(pid)]));
  await sleep(SETTLE_MS);
  return {
    meters,
    idle: await measureIdleCpu(meters, bench.options.idleMs),
    startDriver: async (shape, callers) => startDriver('peers', [url, String(callers), shape], undo),
    memory: () => memoryOf([...pids.values()]),
  };
}

async function startDriver(
  kind: Parameters<typeof Driver.start>[0],
  args: readonly string[],
  undo: Undo,
): Promise<Driver> {
  const { driver } = await Driver.start(kind, args);
  undo.add(async () => driver.stop());
  return driver;
}

function memoryOf(pids: readonly number[]): number {
  return sum(pids.map((pid) => memoryMegabytes(pid)));
}
