export { RunDeliveries } from './run-deliveries.tsx';
export { OutsideSections } from './outside-sections.tsx';
export { TurnReports } from './turn-reports.tsx';
export { UndeliveredList } from './undelivered-list.tsx';
export type { RunDelivery } from './queries.ts';
