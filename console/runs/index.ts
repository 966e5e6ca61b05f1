export { isOpen, type ShownRun, useRuns, whileOpen } from './queries.ts';
export { RunBadge, secondsOf } from './run-badge.tsx';
export { RunChart } from './run-chart.tsx';
export { RunSplit } from './run-split.tsx';
export { RunTable } from './run-table.tsx';
