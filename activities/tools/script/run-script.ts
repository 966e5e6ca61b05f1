import type { Payer } from '../../../domain/core/keyed-semaphore.ts';
import { MAX_COMPUTING_MS, type ScriptStart } from './messages.ts';
import { ScriptPlaces } from './script-places.ts';
import { type ScriptHost, ScriptRun } from './script-run.ts';

/** A script and the arguments of its function. */
export interface Script {
  readonly source: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Runs a script in a process of its own; returns the JSON of its result. Throws `ToolFailure` when it gave up. */
export type RunScript = (script: Script, host: ScriptHost) => Promise<string>;

// Sizes are characters. A process that waits takes some 50 MB, and one whose script fills its memory 130 MB.
const places = new ScriptPlaces({
  perPayer: 4,
  total: 16,
  graceMs: 5_000,
  maxWaiting: 100,
  maxWaitMs: 20_000,
  maxWaitingSize: 8_000_000,
});

/** For whom a script runs, and until when. */
interface ScriptUse {
  readonly payer: Payer;
  readonly signal: AbortSignal;
  /** The processor time that it may take, in milliseconds. */
  readonly computingMs?: number;
}

/** Runs a script in a process of its own, which is killed when the signal aborts and when the script has ended. */
export async function runScript(
  { source, args }: Script,
  host: ScriptHost,
  { payer, signal, computingMs = MAX_COMPUTING_MS }: ScriptUse,
): Promise<string> {
  const start: ScriptStart = { type: 'start', source, args: JSON.stringify(args), computingMs };
  const size = source.length + start.args.length;
  return places.hold(payer, async (place) => new ScriptRun(host, { place, signal }).run(start), { size, signal });
}
