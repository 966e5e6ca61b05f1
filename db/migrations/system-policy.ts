/**
 * Closes a table to connections that work for one organization. Forced, so that it binds the tables' owner too.
 * `tenantPolicy` explains `app.scope`.
 */
export function systemPolicy(table: string): string {
  const condition = `current_setting('app.scope', true) = 'system'`;
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy system on ${table} using (${condition}) with check (${condition});
  `;
}
