/** What a tool may need of the machine that runs its calls. */
export const FACILITIES = ['sandbox', 'browser'] as const;

export type Facility = (typeof FACILITIES)[number];

/** Why, for each facility that is not there. */
export type Lacking = Readonly<Partial<Record<Facility, string>>>;
