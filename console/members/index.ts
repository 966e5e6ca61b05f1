export { nameOf } from './member-name.ts';
export { type Member, useMembers } from './queries.ts';
