export { compute, type ComputeOptions } from './compute.ts';
export { type CalculatingProcess, startChild } from './start-child.ts';
export type { ComputeJob, TimeArguments } from './job.ts';
export type { PageLink, ReadPage } from './pages/read-page.ts';
