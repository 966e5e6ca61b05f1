import { SKILL_CATEGORIES } from '../../domain/definitions/files.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/category.ts';
import type { PermissionKey } from '../core/permissions.ts';

/** The kinds of what agents are made of, as their routes and pages are called. */
const KIND_KEYS = ['skills', 'personas', 'tools'] as const;

/** One kind of what agents are made of: all kinds have the same pages, as far as they have what those show. */
export interface DefinitionKind {
  readonly key: (typeof KIND_KEYS)[number];
  readonly list: '/o/$orgId/skills' | '/o/$orgId/personas' | '/o/$orgId/tools';
  readonly page:
    | '/o/$orgId/skills/$definitionId'
    | '/o/$orgId/personas/$definitionId'
    | '/o/$orgId/tools/$definitionId';
  readonly manage: PermissionKey;
  /** The file that says what it is; a persona has none, all of it is in its record. */
  readonly mainFile?: string;
}

export const SKILLS: DefinitionKind = {
  key: 'skills',
  list: '/o/$orgId/skills',
  page: '/o/$orgId/skills/$definitionId',
  manage: 'skills.manage',
  mainFile: 'SKILL.md',
};

export const PERSONAS: DefinitionKind = {
  key: 'personas',
  list: '/o/$orgId/personas',
  page: '/o/$orgId/personas/$definitionId',
  manage: 'personas.manage',
};

export const TOOLS: DefinitionKind = {
  key: 'tools',
  list: '/o/$orgId/tools',
  page: '/o/$orgId/tools/$definitionId',
  manage: 'tools.manage',
  mainFile: 'tool.json',
};

/** The categories that those of a kind can have; personas have none. */
export const CATEGORIES: Readonly<Record<DefinitionKind['key'], readonly string[]>> = {
  skills: SKILL_CATEGORIES,
  personas: [],
  tools: TOOL_CATEGORIES,
};
