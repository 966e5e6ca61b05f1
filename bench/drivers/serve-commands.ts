import { setTimeout as sleep } from 'node:timers/promises';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import { sum } from '../figures/statistics.ts';
import type { DriverCommand, DriverMessage, TurnTimes } from './driver-protocol.ts';

/** Runs one turn of a chat, by the chat's number, from the sending to its end. Rejects when the turn failed. */
export type RunTurn = (chat: number, work: string | undefined) => Promise<TurnTimes>;

/** The commands that are served here. */
type TurnCommand = Exclude<DriverCommand, { readonly type: 'stream' }>;

type Of<Type extends TurnCommand['type']> = Extract<TurnCommand, { type: Type }>;

/** Serves the commands about turns that a driver's parent sends. */
export function serveCommands(runTurn: RunTurn): void {
  process.on('message', (command: TurnCommand) => void serve(runTurn, command).then(report));
  // The parent process is gone.
  process.once('disconnect', () => process.exit());
}

/** Tells the parent. */
export function report(message: DriverMessage): void {
  process.send?.(message);
}

async function serve(runTurn: RunTurn, command: TurnCommand): Promise<DriverMessage> {
  if (command.type === 'latency') return oneAtATime(runTurn, command);
  return command.type === 'load' ? closedLoop(runTurn, command) : steadyPace(runTurn, command);
}

async function oneAtATime(runTurn: RunTurn, { turns: count, pauseMs, work }: Of<'latency'>): Promise<DriverMessage> {
  const tally = new Tally();
  for (let turn = 0; turn < count; turn += 1) {
    await tally.take(runTurn(0, work));
    await sleep(pauseMs);
  }
  return { type: 'turns', turns: tally.turns, late: 0, total: count, failed: tally.failed };
}

async function closedLoop(runTurn: RunTurn, command: Of<'load'>): Promise<DriverMessage> {
  const { firstChat, chats, warmUpMs, measureMs, work } = command;
  const keepBusy = async (ms: number): Promise<Tally> => {
    const tally = new Tally();
    const end = preciseNow() + ms;
    const runChat = async (chat: number): Promise<void> => {
      do {
        if (!(await tally.take(runTurn(chat, work)))) await sleep(100);
      } while (preciseNow() < end);
    };
    await Promise.all(Array.from({ length: chats }, async (_, at) => runChat(firstChat + at)));
    return tally;
  };
  // The first turn of a chat starts a workflow, which costs more than those that follow. All have ended before the
  // window begins, so that a turn which is counted is counted as a whole.
  const before = await keepBusy(warmUpMs);
  report({ type: 'window' });
  const end = preciseNow() + measureMs;
  const windowOver = sleep(measureMs).then(() => report({ type: 'window' }));
  const measured = await keepBusy(measureMs);
  await windowOver;
  const { turns, failed } = measured;
  const late = sum(turns.map(({ sentAt, endedAt }) => Math.max(0, endedAt - end) / (endedAt - sentAt)));
  return { type: 'turns', turns, late, total: before.total + measured.total, failed };
}

async function steadyPace(runTurn: RunTurn, { chats, turns, everyMs, work }: Of<'pace'>): Promise<DriverMessage> {
  const tally = new Tally();
  const last = Array.from({ length: chats }, async () => Promise.resolve(true));
  report({ type: 'window' });
  const startedAt = preciseNow();
  for (let turn = 0; turn < turns; turn += 1) {
    await sleep(Math.max(0, startedAt + turn * everyMs - preciseNow()));
    const chat = turn % chats;
    const before = last[chat];
    last[chat] = (async () => {
      await before;
      return tally.take(runTurn(chat, work));
    })();
  }
  await Promise.all(last);
  report({ type: 'window' });
  return { type: 'turns', turns: tally.turns, late: 0, total: tally.total, failed: tally.failed };
}

/** The turns that have ended so far. */
class Tally {
  readonly turns: TurnTimes[] = [];
  failed = 0;

  get total(): number {
    return this.turns.length + this.failed;
  }

  /** Counts a turn when it has ended; resolves to whether it succeeded. */
  async take(turn: Promise<TurnTimes>): Promise<boolean> {
    try {
      this.turns.push(await turn);
      return true;
    } catch {
      this.failed += 1;
      return false;
    }
  }
}
