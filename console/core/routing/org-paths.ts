import type { RegisteredRouter } from '@tanstack/react-router';

type Path = keyof RegisteredRouter['routesByPath'];

/** A page of an organization whose address names no record. */
export type OrgPath = Exclude<Extract<Path, `/o/$orgId/${string}`>, `${string}/` | `/o/$orgId/${string}$${string}`>;

/** A page on which a new record begins. */
export type NewRecordPath = Extract<OrgPath, `${string}/new`>;
