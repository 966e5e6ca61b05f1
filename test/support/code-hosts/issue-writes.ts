import type { World, WorldIssue } from './world.ts';

/** What a client tells a host of an issue; what it leaves out stays. */
interface IssueWrite {
  readonly title?: unknown;
  readonly isOpen?: unknown;
  readonly reason?: unknown;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** Changes an issue as its host does when a client tells it to. */
export function writeTo(
  world: World,
  issue: WorldIssue,
  { title, isOpen, reason, add = [], remove = [] }: IssueWrite,
): void {
  const labels = [...new Set([...issue.labels, ...add])].filter((label) => !remove.includes(label));
  world.change(issue, {
    labels,
    ...(typeof title === 'string' && { title }),
    ...(typeof isOpen === 'boolean' && { isOpen }),
    ...(typeof reason === 'string' && { reason }),
  });
}
