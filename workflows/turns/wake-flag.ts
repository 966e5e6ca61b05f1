import { defineSignal, setHandler } from '@temporalio/workflow';
import { WAKE } from './contract.ts';

/** Whether a wake has come since the flag was last lowered. */
export interface WakeFlag {
  isRaised: boolean;
}

/** Raises the flag at each wake of this workflow. */
export function watchWakes(isRaised: boolean): WakeFlag {
  const flag = { isRaised };
  setHandler(defineSignal(WAKE), () => {
    flag.isRaised = true;
  });
  return flag;
}
