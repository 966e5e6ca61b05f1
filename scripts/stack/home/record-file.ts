import { join } from 'node:path';

import type { Home } from './prepare-home.ts';

/** Returns where a part's process is noted, so that a later run can stop it. */
export function recordFile(home: Home, part: 'api' | 'worker' | 'temporal'): string {
  return join(home.run, `${part}.pid`);
}
