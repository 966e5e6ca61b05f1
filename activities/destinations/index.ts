export type { ReportDeps } from './send-report.ts';
export { createTestDestination, type TestDestinationDeps } from './test-destination.ts';
