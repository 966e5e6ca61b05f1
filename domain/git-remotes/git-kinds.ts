import type { IntegrationKindKey } from '../integrations/index.ts';

/** The kinds of integrations whose credentials reach repositories. */
export const GIT_KINDS = ['github', 'gitlab', 'gitea', 'git'] as const satisfies readonly IntegrationKindKey[];
