export { runDeliverySchema, shownRunDeliveries } from './run-deliveries.ts';
export { checkRunReports, runReportsField, shownRunReportsField } from './run-reports.ts';
