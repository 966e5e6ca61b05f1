/** The categories of tools. */
export const TOOL_CATEGORIES = [
  'filesystem',
  'shell',
  'git',
  'github',
  'gitlab',
  'web',
  'communication',
  'project-management',
  'knowledge',
  'data',
  'cloud',
  'devops',
  'documents',
  'media',
  'business',
  'platform',
  'planning',
  'utility',
  'custom',
] as const;
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];
