export { createTestDestination, type TestDestinationDeps } from './test-destination.ts';
