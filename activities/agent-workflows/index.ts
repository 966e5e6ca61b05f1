export { createNextStepOfRun } from './next-step-of-run.ts';
