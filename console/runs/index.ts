export { type ListedRun, type ShownRun, isOpen, useRuns, whileOpen } from './queries.ts';
export { RunBadge, secondsOf, RunChart, RunTable } from './run-table.tsx';
export { RunSplit } from './run-split.tsx';
