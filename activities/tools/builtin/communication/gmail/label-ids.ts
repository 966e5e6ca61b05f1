import { z } from 'zod';
import type { Service } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { readAnswer } from '../../services/read-answer.ts';

const labelsSchema = z.object({ labels: z.array(z.object({ id: z.string(), name: z.string() })).default([]) });
const NAMED = 100;

/** Returns the ids of labels for each list of their names, in whatever letters. */
export async function labelIds(
  service: Service,
  lists: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const answer = await service.request({ path: '/users/me/labels', effect: 'read' });
  const { labels } = readAnswer(answer, labelsSchema);
  const known = new Map(
    labels.flatMap(({ id, name }) => [[id.toLowerCase(), id] as const, [name.toLowerCase(), id] as const]),
  );
  return lists.map((names) =>
    names.map((name) => {
      const id = known.get(name.toLowerCase());
      if (id !== undefined) return id;
      const there = labels.slice(0, NAMED).map((label) => label.name);
      throw new ToolFailure('not_found', `There is no label of this name; there is ${there.join(', ')}`, {
        isForeign: true,
      });
    }),
  );
}
