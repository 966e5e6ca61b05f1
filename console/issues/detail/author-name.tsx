import type { ReactNode } from 'react';
import { showInvisible } from '../../ui/visible.ts';
import { useIssuesText } from '../text.ts';

interface AuthorNameProps {
  readonly author: { readonly user_name: string | null; readonly agent_name: string | null };
}

/** Who wrote something: a person, or an agent for one. */
export function AuthorName({ author }: AuthorNameProps): ReactNode {
  const text = useIssuesText();
  const user = showInvisible(author.user_name ?? text.unknown);
  return author.agent_name === null ? user : text.byAgent(showInvisible(author.agent_name), user);
}
