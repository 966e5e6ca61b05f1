import { ToolFailure } from '../../tool-failure.ts';
import type { Account } from './connections.ts';

/** Refuses what would change something unless the integration allows it. */
export function requireWrites({ name, settings }: Pick<Account, 'name' | 'settings'>): void {
  if (settings['allow_writes'] === 'yes') return;
  throw new ToolFailure('denied', `The integration ${name} allows no writes: somebody can set allow_writes to yes`);
}
