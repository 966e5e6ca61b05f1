export { beginTrial, createTrial, finishTrial, purgeToolTrials, takeTrial, type TrialOutcome } from './trials.ts';
