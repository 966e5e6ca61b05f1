export { Destination } from './destination.entity.ts';
export {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  lockDestination,
  noteDestinationTest,
  updateDestination,
} from './destinations.ts';
export { findReportersTo, runReportsOf, setRunReports } from './run-reports.ts';
