import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TEMPLATE = `-- What changes, and why.

-- Statements see and change the rows of all organizations. A new table with an org_id is bound to them:
-- call add_tenant_policy('labels');
`;

/**
 * Adds a migration to a folder, named by the day, and lists it there; returns the path of its file. Throws when there
 * is one of that name, or the name is not in lower case with dashes.
 */
export function addMigration(folder: string, name: string, today: Date): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(`A migration has a name like labels-of-agents, not ${JSON.stringify(name)}.`);
  }
  const dated = `${today.toISOString().slice(0, 10)}-${name}`;
  const path = join(folder, `${dated}.sql`);
  if (existsSync(path)) throw new Error(`There is a migration ${dated} already.`);
  const list = join(folder, 'list.ts');
  const listed = readFileSync(list, 'utf8').replace(/\[(?<names>[^[\]]*)\];/, (_all, names: string) => {
    const others = names.trim().replace(/,$/, '');
    return others === '' ? `['${dated}'];` : `[${others}, '${dated}'];`;
  });
  writeFileSync(list, listed);
  writeFileSync(path, TEMPLATE);
  return path;
}
