/** What the lines of a report can be. */
export const GROUPINGS = ['day', 'agent', 'model', 'user', 'chat'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What the bars can show. */
export const MEASURES = ['tokens', 'cost'] as const;
export type Measure = (typeof MEASURES)[number];

/** Whose usage a report can be about. */
export const SCOPES = ['own', 'organization'] as const;
