export { RESEND, runDeliverySchema, shownRunDeliveries } from './run-deliveries.ts';
export {
  checkRunReports,
  checkTurnReports,
  requireMayUse,
  runReportsField,
  shownRunReportsField,
} from './run-reports.ts';
export { presentTurnDeliveries, shownTurnDeliveriesSchema, turnDeliveriesSchema } from './turn-deliveries.ts';
