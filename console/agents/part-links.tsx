import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgentsText } from './text.ts';

/** Leads to the parts of an agent's form, at the address of the agent or of a new one. */
export function PartLinks(form: Pick<LinkProps, 'to' | 'params'>): ReactNode {
  const text = useAgentsText().editor;
  const parts = [
    [{}, text.prompt],
    [{ tab: 'tools' }, text.toolsAndSkills],
    [{ tab: 'model' }, text.model],
    [{ tab: 'limits' }, text.limits],
    [{ tab: 'knowledge' }, text.knowledge],
  ] as const;
  return parts.map(([search, label]) => (
    <Link key={label} {...form} search={search} replace activeOptions={{ exact: true }}>
      {label}
    </Link>
  ));
}
