/**
 * Binds a table to its organization. Forced, so that it binds the tables' owner too. `app.scope = system` is set only
 * by the connections that work before an organization is known (sign-in) or for all of them (sweeper, stream).
 */
export function tenantPolicy(table: string): string {
  const condition = `org_id = nullif(current_setting('app.org_id', true), '')::uuid
    or current_setting('app.scope', true) = 'system'`;
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy tenant on ${table} using (${condition}) with check (${condition});
  `;
}
