import type { Behaviour } from './behaviour.ts';
import type { Gates } from './gates.ts';
import type { JournalChange, JournalEntry } from './journal.ts';
import type { Outlet } from './outlet.ts';
import { playFault } from './play-fault.ts';
import { playStream } from './play-stream.ts';
import { playWhole } from './play-whole.ts';

/** Plays a behaviour to the end, or until the client goes away. */
export async function play(
  behaviour: Behaviour,
  request: JournalEntry,
  outlet: Outlet,
  deps: { gates: Gates; change: (change: JournalChange) => void },
): Promise<void> {
  if (behaviour.kind !== 'answer') await playFault(behaviour, request, outlet);
  else if (request.body.stream === true) await playStream(behaviour, request, outlet, deps);
  else await playWhole(behaviour, request, outlet, deps.gates);
}
