/** What an item can be. */
export const ITEM_KINDS = ['agent', 'skill', 'tool', 'persona', 'bundle'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];
