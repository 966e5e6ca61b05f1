/** The categories of skills. */
export const SKILL_CATEGORIES = [
  'development',
  'research',
  'writing',
  'data',
  'operations',
  'communication',
  'orchestration',
  'files',
  'web',
  'platform',
  'custom',
] as const;
