import type { Behaviour } from './behaviour.ts';
import type { ScriptFunction } from './choose-behaviour.ts';

/** Plays behaviours one after another, one a request, and responds with 400 to a surplus request. */
export function inTurn(...behaviours: readonly Behaviour[]): ScriptFunction {
  const left = [...behaviours];
  return () =>
    left.shift() ?? {
      kind: 'status',
      status: 400,
      message: `the script holds ${behaviours.length} replies`,
      code: 'script_exhausted',
    };
}
