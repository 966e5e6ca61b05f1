export { deliverReport, type DeliverReportDeps } from './deliver-report.ts';
export { createTestDestination, type TestDestinationDeps } from './test-destination.ts';
