import type { ReactNode } from 'react';
import { DefinitionPage } from './definition-page.tsx';
import { PERSONAS, SKILLS, TOOLS } from './families.ts';
import { DefinitionsPage } from './list/definitions-page.tsx';

/** The skills that agents can be given. */
export function SkillsPage(): ReactNode {
  return <DefinitionsPage family={SKILLS} />;
}

/** One skill with its files. */
export function SkillPage(): ReactNode {
  return <DefinitionPage family={SKILLS} />;
}

/** The personas that can stand before the prompt of an agent. */
export function PersonasPage(): ReactNode {
  return <DefinitionsPage family={PERSONAS} />;
}

/** One persona. */
export function PersonaPage(): ReactNode {
  return <DefinitionPage family={PERSONAS} />;
}

/** The tools that agents can be given. */
export function ToolsPage(): ReactNode {
  return <DefinitionsPage family={TOOLS} />;
}

/** One tool with its files. */
export function ToolPage(): ReactNode {
  return <DefinitionPage family={TOOLS} />;
}
