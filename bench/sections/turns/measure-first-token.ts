import { Driver } from '../../drivers/driver.ts';
import { quantile } from '../../figures/statistics.ts';
import { turnPath } from '../../figures/turn-path.ts';
import { LINGERING, type NamedShape, NEW } from '../../floors/floor-shape.ts';
import { startFloor } from '../../floors/start-floor.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { latencyRow, type Overhead, overheadOf, PAUSE_MS, runSingly, type SingleTurns } from '../../loads/latency.ts';
import { printHeading, printRows, type Target } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** Measures and prints turns one at a time, in a standing chat and each in a new one, and the floor beside them. */
export async function measureFirstToken(bench: Bench): Promise<SectionResult> {
  await new ModelControl(bench.instance.model.url).answer(PLAIN_ANSWER);
  const standing = await measureStanding(bench);
  const fresh = await measureNew(bench);
  printHeading(`Overhead of a turn, ${fresh.turns.length} turns of each, one at a time (ms)`);
  const opened = fresh.turns.map(({ sentAt, newChat }) => sentAt - (newChat?.askedAt ?? Number.NaN));
  printRows([
    ['', 'p50', 'p95'],
    ...overheadRows('standing chat', standing),
    ...overheadRows('new chat', overheadOf(fresh)),
    latencyRow('  POST /api/chats before it', opened),
  ]);
  const floors = await measureFloors(bench, [...LINGERING, ...NEW]);
  printHeading('The floor: from the start or the signal to the activity (ms)');
  printRows([['', 'p50', 'p95'], ...floors.map(({ name, times }) => latencyRow(name, times))]);
  const floorOf = (shapes: readonly NamedShape[]): number =>
    Math.min(
      ...floors
        .filter((floor) => shapes.some(({ name }) => name === floor.name))
        .map(({ times }) => quantile(times, 0.5)),
    );
  return {
    targets: [
      ...targetsOf('standing chat', standing, { bound: 9, floor: floorOf(LINGERING) }),
      ...targetsOf('new chat', overheadOf(fresh), { bound: 10, floor: floorOf(NEW) }),
    ],
  };
}

async function measureStanding(bench: Bench): Promise<Overhead> {
  const { instance, undo } = bench;
  const { driver, ready } = await Driver.start('chats', [instance.apiUrl, instance.model.url, '1']);
  undo.add(async () => driver.stop());
  const turns = await runSingly(bench, driver);
  await driver.stop();
  const path = await turnPath(instance, ready.workflowIds[0] ?? '', turns);
  printHeading('Where the time of a turn in a standing chat goes (ms)');
  printRows([['', 'p50', 'p95'], ...path.map(({ name, p50, p95 }) => [name, p50.toFixed(1), p95.toFixed(1)])]);
  return overheadOf(turns);
}

async function measureNew(bench: Bench): Promise<SingleTurns> {
  const { instance, undo } = bench;
  const { driver } = await Driver.start('new-chats', [instance.apiUrl, instance.model.url, '1']);
  undo.add(async () => driver.stop());
  const turns = await runSingly(bench, driver);
  await driver.stop();
  return turns;
}

async function measureFloors(
  { instance, options, undo }: Bench,
  shapes: readonly NamedShape[],
): Promise<{ name: string; times: number[] }[]> {
  const { driver } = await startFloor(instance, 1, undo);
  const floors: { name: string; times: number[] }[] = [];
  for (const { name, shape } of shapes) {
    const work = JSON.stringify(shape);
    await driver.run({ type: 'latency', turns: options.latencyWarmUpTurns, pauseMs: PAUSE_MS, work });
    const { turns } = await driver.run({ type: 'latency', turns: options.latencyTurns / 2, pauseMs: PAUSE_MS, work });
    floors.push({ name, times: turns.map(({ sentAt, firstAt }) => firstAt - sentAt) });
  }
  await driver.stop();
  return floors;
}

function overheadRows(name: string, { firstToken, before, after, whole }: Overhead): string[][] {
  return [
    latencyRow(`first token, ${name}`, firstToken),
    latencyRow('  before the model call: message sent -> request at the model', before),
    latencyRow('  after it: first content at the model -> first chunk at the client', after),
    latencyRow('  whole turn: message sent -> end, without the time of the model', whole),
  ];
}

function targetsOf(name: string, { firstToken, whole }: Overhead, wanted: { bound: number; floor: number }): Target[] {
  const time = { better: 'less', unit: 'ms' } as const;
  return [
    { name: `first token, ${name}, p50`, measured: quantile(firstToken, 0.5), ...wanted, ...time },
    { name: '  p95', measured: quantile(firstToken, 0.95), ...time },
    { name: '  whole turn without the time of the model, p50', measured: quantile(whole, 0.5), ...time },
  ];
}
