import { integrationKind, type IntegrationKindKey } from '../integrations/kinds/index.ts';

/** The requirements of a tool. */
export interface ToolNeeds {
  /** The feature of the worker that its calls need. */
  readonly needs?: WorkerFeature | undefined;
  /** The kinds of integrations that it works with: the organization needs an integration of any of them. */
  readonly needsIntegration?: readonly IntegrationKindKey[] | undefined;
}

/** What is available to the tools of an organization. */
export interface Surroundings {
  readonly lacking: Lacking;
  /** The kinds of which the organization has an integration, among those that were asked for. */
  readonly integrations: ReadonlySet<IntegrationKindKey>;
}

/** Returns why a tool cannot be used here and now, in words that say what to do; undefined when it can. */
export function unmetNeed(
  { needs, needsIntegration: kinds = [] }: ToolNeeds,
  { lacking, integrations }: Surroundings,
): string | undefined {
  const lack = needs === undefined ? undefined : lacking[needs];
  if (lack !== undefined) return lack;
  return kinds.length === 0 || kinds.some((kind) => integrations.has(kind)) ? undefined : noIntegrationOf(kinds);
}

/** Says that an organization has no integration of these kinds, and who adds one. */
export function noIntegrationOf(kinds: readonly IntegrationKindKey[]): string {
  const wanted = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    kinds.map((key) => integrationKind(key).name),
  );
  return `it needs an integration with ${wanted}, which somebody who may manage integrations can add`;
}

/** Features of a worker that tools may need. */
export const WORKER_FEATURES = ['sandbox', 'browser'] as const;

export type WorkerFeature = (typeof WORKER_FEATURES)[number];

/** Why, for each feature that is not there. */
export type Lacking = Readonly<Partial<Record<WorkerFeature, string>>>;
