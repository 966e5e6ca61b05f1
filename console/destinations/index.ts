export { ReportsSection } from './reports-section.tsx';
export { RunDeliveries } from './run-deliveries.tsx';
export { UndeliveredList } from './undelivered-list.tsx';
export type { RunDelivery } from './queries.ts';
