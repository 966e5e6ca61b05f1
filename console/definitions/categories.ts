import { SKILL_CATEGORIES } from '../../domain/definitions/skill-category.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/category.ts';
import type { Family } from './families.ts';

/** The categories that those of a kind can have; personas have none. */
export const CATEGORIES: Readonly<Record<Family['key'], readonly string[]>> = {
  skills: SKILL_CATEGORIES,
  personas: [],
  tools: TOOL_CATEGORIES,
};
