import { Driver } from '../../drivers/driver.ts';
import type { DrivenTurns } from '../../drivers/driver-protocol.ts';
import { quantile } from '../../figures/statistics.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { MOST_CHATS } from '../../loads/loads.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** From the beginning of the measured part to the kill, and from there to its end. */
const KILL_AFTER_MS = 2_000;
const RECOVER_MS = 10_000;

/** Measures and prints the longest turn when the worker is killed under load and the supervisor starts another. */
export async function measureRecovery({ instance, options, undo }: Bench): Promise<SectionResult> {
  const { apiUrl, model } = instance;
  await new ModelControl(model.url).answer(PLAIN_ANSWER);
  const { driver } = await Driver.start('chats', [apiUrl, model.url, String(MOST_CHATS)]);
  undo.add(async () => driver.stop());
  const kills: DrivenTurns[] = [];
  for (let kill = 0; kill < options.kills; kill += 1) {
    const command = { firstChat: 0, chats: MOST_CHATS, warmUpMs: 1_000, measureMs: KILL_AFTER_MS + RECOVER_MS };
    let windows = 0;
    kills.push(
      await driver.run({ type: 'load', ...command }, () => {
        windows += 1;
        if (windows === 1) setTimeout(() => killWorker(instance), KILL_AFTER_MS);
      }),
    );
  }
  await driver.stop();
  const longest = kills.map(({ turns }) => Math.max(...turns.map(({ sentAt, endedAt }) => endedAt - sentAt)) / 1000);
  printHeading(`kill -9 of the worker under ${MOST_CHATS} chats`);
  printRows([
    ['', 'longest turn (s)', 'turns', 'failed'],
    ...kills.map(({ turns, failed }, at) => [
      `kill ${at + 1}`,
      figure(longest[at] ?? Number.NaN),
      String(turns.length),
      String(failed),
    ]),
  ]);
  const failed = kills.reduce((total, each) => total + each.failed, 0);
  return {
    targets: [
      {
        name: 'longest turn after kill -9 of the worker',
        measured: Math.max(...longest),
        bound: 10,
        better: 'less',
        unit: 's',
      },
      { name: '  median of the kills', measured: quantile(longest, 0.5), better: 'less', unit: 's' },
      { name: '  failed turns', measured: failed, bound: 0, better: 'less', unit: '' },
    ],
  };
}

function killWorker(instance: Instance): void {
  const pid = instance.pid('worker');
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}
