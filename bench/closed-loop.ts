import { setTimeout as sleep } from 'node:timers/promises';
import type { DriverCommand, DriverMessage, TurnTimes } from './driver-protocol.ts';

/** Runs one turn of a chat, by the chat's number, from the sending to its end. Rejects when the turn failed. */
export type RunTurn = (chat: number, work: string | undefined) => Promise<TurnTimes>;

/** The commands that are served here. */
type LoopCommand = Extract<DriverCommand, { readonly type: 'latency' | 'load' }>;

/** Serves the commands that a driver's parent sends: each chat begins its next turn when the one before has ended. */
export function serveCommands(runTurn: RunTurn): void {
  process.on('message', (command: LoopCommand) => {
    const work = command.type === 'latency' ? oneAtATime(runTurn, command) : load(runTurn, command);
    void work.then(tell);
  });
  // The parent process is gone.
  process.once('disconnect', () => process.exit());
}

/** Tells the parent. */
export function tell(message: DriverMessage): void {
  process.send?.(message);
}

type Of<Type extends LoopCommand['type']> = Extract<LoopCommand, { type: Type }>;

async function oneAtATime(runTurn: RunTurn, { turns: count, pauseMs, work }: Of<'latency'>): Promise<DriverMessage> {
  const turns: TurnTimes[] = [];
  let failed = 0;
  for (let turn = 0; turn < count; turn += 1) {
    await runTurn(0, work).then(
      (times) => turns.push(times),
      () => (failed += 1),
    );
    await sleep(pauseMs);
  }
  return { type: 'turns', turns, total: count, failed };
}

async function load(runTurn: RunTurn, command: Of<'load'>): Promise<DriverMessage> {
  const { firstChat, chats, warmUpMs, measureMs, work } = command;
  const turns: TurnTimes[] = [];
  const state = { isMeasuring: false, isOver: false, total: 0, failed: 0 };
  const runOne = async (chat: number): Promise<void> => {
    try {
      const times = await runTurn(chat, work);
      if (state.isMeasuring) turns.push(times);
    } catch {
      state.failed += 1;
      await sleep(100);
    }
    state.total += 1;
  };
  const runChat = async (chat: number, hasBegun: () => void): Promise<void> => {
    // The first turn of a chat starts a workflow, which costs more than those that follow.
    await runOne(chat);
    hasBegun();
    while (!state.isOver) await runOne(chat);
  };
  const begun: Promise<void>[] = [];
  const running = Array.from({ length: chats }, async (_, at) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    await runChat(firstChat + at, resolve);
  });
  await Promise.all([...begun, sleep(warmUpMs)]);
  state.isMeasuring = true;
  tell({ type: 'window' });
  await sleep(measureMs);
  state.isMeasuring = false;
  tell({ type: 'window' });
  state.isOver = true;
  await Promise.all(running);
  return { type: 'turns', turns, total: state.total, failed: state.failed };
}
