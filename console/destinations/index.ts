export { RunDeliveries } from './run-deliveries.tsx';
export { OutsideSections } from './outside-sections.tsx';
export { TurnReports } from './outside-sections.tsx';
export { UndeliveredList } from './undelivered-list.tsx';
export type { RunDelivery } from './queries.ts';
