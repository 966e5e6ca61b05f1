export { deliverReport, type DeliverReportDeps } from './deliver-report.ts';
export { sendAnswer } from './send-answer.ts';
export { failedBy, type ReportDeps, sendWithin } from './send-report.ts';
export { createTestDestination, type TestDestinationDeps } from './test-destination.ts';
