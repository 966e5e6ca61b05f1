/** Returns the SQL of what a user is called by others; `user` is the alias of its row. */
export function userName(user: string): string {
  return `coalesce(nullif(${user}.full_name, ''), ${user}.email)`;
}
