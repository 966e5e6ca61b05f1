export { isOpen, liveWhileOpen, type ShownRun } from './queries.ts';
export { RunBadge } from './run-badge.tsx';
export { RunChart } from './run-chart.tsx';
export { RunTable } from './run-table.tsx';
