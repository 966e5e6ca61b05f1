import { setTimeout as sleep } from 'node:timers/promises';
import { requestInterrupt } from './api-calls.ts';
import type { InFlight } from './in-flight.ts';
import type { SocketViewer } from './socket-viewer.ts';
import type { ChaosChat } from '../installation/installation.ts';
import type { MessagePlan } from '../messages/turn-plan.ts';

const TRIES = 5;
const PAUSE_MS = 300;

/** Stops a turn as its plan says, if it has not ended by then. Resolves when nothing more will be sent. */
export async function interruptAsPlanned(
  { index, interrupt }: MessagePlan,
  { chat, viewer, inFlight }: { chat: ChaosChat; viewer: SocketViewer | undefined; inFlight: InFlight },
): Promise<void> {
  if (interrupt === undefined) return;
  await sleep(interrupt.afterMs);
  for (let sent = 0; sent < (interrupt.isTwice ? 2 : 1); sent += 1) {
    const message = inFlight.of(index);
    if (message.endedAt !== undefined) return;
    message.interruptAt ??= Date.now();
    if (interrupt.by === 'socket' && viewer?.send({ type: 'interrupt' }) === true) continue;
    await insist(chat, () => message.endedAt !== undefined);
  }
}

async function insist(chat: ChaosChat, isOver: () => boolean): Promise<void> {
  for (let tries = 0; tries < TRIES && !isOver(); tries += 1) {
    if (await requestInterrupt(chat)) return;
    await sleep(PAUSE_MS);
  }
}
