import { Driver } from '../../drivers/driver.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { cpuTargets, type LoadFigures, measureLoad, platformMeters, printLoads } from '../../loads/loads.ts';
import { printHeading } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** Standing chats that take turns; more than turns run at once, so that none has to wait for its chat. */
const CHATS = 180;

/** Turns of one length: how long the model speaks, in how many chunks, and how many turns begin in a second. */
interface TurnLength {
  readonly seconds: number;
  readonly chunks: number;
  readonly perSecond: number;
  readonly turns: number;
}

/**
 * The rates leave the machine some idle time, so that CPU of a turn means the same in two checkouts. The longer the
 * turns, the more of them run at once: 3, 45, 150, 180.
 */
const LENGTHS: readonly TurnLength[] = [
  { seconds: 0.1, chunks: 5, perSecond: 25, turns: 750 },
  { seconds: 3, chunks: 20, perSecond: 15, turns: 360 },
  { seconds: 10, chunks: 20, perSecond: 15, turns: 240 },
  { seconds: 60, chunks: 20, perSecond: 6, turns: 180 },
];

/** Measures and prints what turns of several lengths cost. */
export async function measureTurnLengths({ instance, options, undo, idle }: Bench): Promise<SectionResult> {
  const { apiUrl, model: modelProcess, temporalAddress } = instance;
  const model = new ModelControl(modelProcess.url);
  const { driver, ready } = await Driver.start('chats', [apiUrl, modelProcess.url, String(CHATS)]);
  undo.add(async () => driver.stop());
  await model.answer(PLAIN_ANSWER);
  await driver.run({ type: 'pace', chats: CHATS, turns: CHATS, everyMs: 30 });
  const loads: LoadFigures[] = [];
  for (const { seconds, chunks, perSecond, turns } of LENGTHS.slice(0, options.turnLengths)) {
    await model.answer({ chunks, everyMs: Math.round((seconds * 1000) / (chunks - 1)) });
    const everyMs = 1000 / perSecond;
    loads.push(
      await measureLoad({
        name: `${seconds} s`,
        driver,
        command: { type: 'pace', chats: CHATS, turns: Math.ceil(turns * options.turnLengthShare), everyMs },
        temporalAddress,
        workflowId: ready.workflowIds[0],
        meters: platformMeters(instance, driver),
        idle,
        tailMs: options.turnLengthTailMs,
      }),
    );
  }
  await driver.stop();
  printHeading(
    'Turns by their length, begun at a steady pace in standing chats; CPU ms a turn above what idleness costs',
  );
  printLoads(loads);
  return { targets: loads.flatMap((load) => cpuTargets(`${load.name} long`, load, { mostWorse: 3 })) };
}
