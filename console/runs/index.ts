export { type ListedRun, type ShownRun, isOpen, useRuns, whileOpen } from './queries.ts';
export { RunBadge, RunHistory, secondsOf } from './run-table.tsx';
export { RunSplit } from './run-split.tsx';
