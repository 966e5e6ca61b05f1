export { type Member, nameOf, useMembers } from './queries.ts';
