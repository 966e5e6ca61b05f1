import { Undo } from '../../../test/support/undo.ts';
import { cpuMs } from '../../figures/cpu-window.ts';
import { quantile, sum } from '../../figures/statistics.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { overheadOf, runSingly } from '../../loads/latency.ts';
import { type LoadFigures, measureLoad, MOST_CHATS, platformCpu, printLoads } from '../../loads/loads.ts';
import { printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { COMPARED_HEAD, comparedRow, type ComparedFigure, comparedTargets, times } from './compared-figure.ts';
import { type BySystem, eachSystem, mapSystems, type Shape, startSystems, type System } from './systems.ts';

/** As fast as the model can: what is compared is the rest. */
const FAST_ANSWER = { chunks: 8 };

/** Work that turns leave behind, such as the end of their workflow. */
const TAIL_MS = 5_000;

/** One round for each system after the other: a machine that is slow for a while is slow for all. */
const LATENCY_ROUNDS = 5;

const NONE = { bound: 0, as: '0' };

/** Measures and prints the product beside smaller programs that serve the same chats with the same model. */
export async function measurePeers(bench: Bench): Promise<SectionResult> {
  const undo = new Undo();
  bench.undo.add(async () => undo.all());
  try {
    const systems = await startSystems(bench, undo);
    await new ModelControl(bench.instance.model.url).answer(FAST_ANSWER);
    const figures = await measureAll(bench, systems);
    printHeading('Everturn and its peers, with the same model and the same drivers; CPU of all processes');
    printRows([COMPARED_HEAD, ...figures.map(comparedRow)]);
    return { targets: comparedTargets(figures) };
  } finally {
    await undo.all();
  }
}

async function measureAll(bench: Bench, systems: BySystem<System>): Promise<ComparedFigure[]> {
  const loads = async (shape: Shape, callers: number) =>
    eachSystem(systems, async (system) => loadOf(bench, system, shape, callers));
  const fresh = await measureFirstTokens(bench, systems, 'new');
  const standing = await measureFirstTokens(bench, systems, 'standing');
  const one = await loads('new', 1);
  const some = await loads('new', MOST_CHATS / 4);
  const many = await loads('new', MOST_CHATS);
  const busy = await loads('standing', MOST_CHATS);
  const all = [one, some, many, busy];
  const loadsOf = (name: keyof BySystem<unknown>) => all.map((load) => load[name]);
  printSystem('Everturn', loadsOf('everturn'));
  printSystem('DBOS', loadsOf('dbos'));
  printSystem('The floor', loadsOf('floor'));
  return [
    ...firstTokenFigures('new chat', fresh),
    ...firstTokenFigures('standing chat', standing),
    rateFigure('new chat each, 1 at once', one),
    rateFigure(`new chat each, ${MOST_CHATS / 4} at once`, some),
    rateFigure(`new chat each, ${MOST_CHATS} at once`, many, 0.5),
    rateFigure(`${MOST_CHATS} standing chats`, busy, 0.9),
    cpuFigure(`new chat each, ${MOST_CHATS} at once`, many, 26),
    cpuFigure(`${MOST_CHATS} standing chats`, busy, 16),
    {
      name: 'memory after that (PSS)',
      unit: 'MB',
      better: 'less',
      values: mapSystems(systems, (system) => system.memory()),
    },
    { name: 'turns that failed', unit: '', better: 'less', values: failedIn(all), wanted: NONE },
  ];
}

/** Returns what each system adds before the first token of each turn, in milliseconds. */
async function measureFirstTokens(
  { instance, options }: Bench,
  systems: BySystem<System>,
  shape: Shape,
): Promise<BySystem<number[]>> {
  const round = {
    instance,
    options: {
      latencyTurns: options.latencyTurns / LATENCY_ROUNDS,
      latencyWarmUpTurns: options.latencyWarmUpTurns / LATENCY_ROUNDS,
    },
  };
  const drivers = await eachSystem(systems, async (system) => system.startDriver(shape, 1));
  const found: BySystem<number[]> = { everturn: [], dbos: [], floor: [] };
  for (let at = 0; at < LATENCY_ROUNDS; at += 1) {
    const { everturn, dbos, floor } = await eachSystem(drivers, async (driver) => runSingly(round, driver));
    found.everturn.push(...overheadOf(everturn).firstToken);
    found.dbos.push(...overheadOf(dbos).firstToken);
    found.floor.push(...overheadOf(floor).firstToken);
  }
  await eachSystem(drivers, async (driver) => driver.stop());
  return found;
}

async function loadOf({ options }: Bench, system: System, shape: Shape, callers: number): Promise<LoadFigures> {
  const driver = await system.startDriver(shape, callers);
  const { floorWarmUpMs: warmUpMs, floorMeasureMs: measureMs } = options;
  const load = await measureLoad({
    name: shape === 'new' ? `new chat each, ${callers} at once` : `${callers} standing chats`,
    driver,
    command: { type: 'load', firstChat: 0, chats: callers, warmUpMs, measureMs },
    temporalAddress: system.temporalAddress,
    meters: new Map([...system.meters, ['driver', () => cpuMs(driver.pid)] as const]),
    idle: system.idle,
    tailMs: TAIL_MS,
  });
  await driver.stop();
  return load;
}

function printSystem(name: string, loads: readonly LoadFigures[]): void {
  printHeading(`${name}: turns a second, and CPU ms a turn by part`);
  printLoads(loads);
}

function firstTokenFigures(chat: string, firstTokens: BySystem<number[]>): ComparedFigure[] {
  const at = (share: number): ComparedFigure => ({
    name: `first token, ${chat}, p${share * 100}`,
    unit: 'ms',
    better: 'less',
    values: mapSystems(firstTokens, (each) => quantile(each, share)),
  });
  const median = at(0.5);
  return [
    { ...median, wanted: times(1.5, 'DBOS', median.values.dbos) },
    at(0.95),
    { ...at(0.99), wanted: times(3, 'p50', median.values.everturn) },
  ];
}

function rateFigure(load: string, loads: BySystem<LoadFigures>, share?: number): ComparedFigure {
  const values = mapSystems(loads, ({ turnsPerSecond }) => turnsPerSecond);
  const wanted = share === undefined ? {} : { wanted: times(share, 'DBOS', values.dbos) };
  return { name: `turns a second, ${load}`, unit: '/s', better: 'more', values, ...wanted };
}

function cpuFigure(load: string, loads: BySystem<LoadFigures>, bound: number): ComparedFigure {
  const values = mapSystems(loads, ({ cpuPerTurn }) => platformCpu(cpuPerTurn));
  return { name: `CPU of a turn, ${load}`, unit: 'ms', better: 'less', values, wanted: { bound, as: `${bound} ms` } };
}

function failedIn(loads: readonly BySystem<LoadFigures>[]): BySystem<number> {
  const failed = (name: keyof BySystem<unknown>) => sum(loads.map((load) => load[name].failed));
  return { everturn: failed('everturn'), dbos: failed('dbos'), floor: failed('floor') };
}
