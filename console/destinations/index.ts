export { RunDeliveries } from './run-deliveries.tsx';
export { ReportsSection } from './reports-section.tsx';
export { TurnReports } from './turn-reports.tsx';
export { UndeliveredList } from './undelivered-list.tsx';
export type { RunDelivery } from './queries.ts';
