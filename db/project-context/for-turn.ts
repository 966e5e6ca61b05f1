import { hasForeignText, type ProjectContext } from '../../domain/project-context/index.ts';
import { projectOf } from '../chats/index.ts';
import type { TurnPart } from '../turns/index.ts';
import { projectContextOf, type ProjectContextRow, toProjectContext } from './project-context.ts';

/** What a turn's agent is told of the projects that it works in. */
interface TurnProjects {
  /** Those that the user may see, as far as they may. */
  readonly told: readonly ProjectContext[];
  /** Whether they hold text from outside, and are the first in their chat that do. */
  readonly bringForeignText: boolean;
}

interface Row extends ProjectContextRow {
  readonly hasForeignText: boolean;
}

/** The projects that the agent of the chat works in. */
export const projectsForTurn: TurnPart<Row, TurnProjects> = {
  text: projectContextOf({
    agentId: 'c.agent_id',
    userId: 'c.user_id',
    projectId: projectOf('c'),
    hasForeignText: 'c.has_foreign_text',
  }),
  of: (rows, owner) => {
    const told = toProjectContext(rows, owner);
    return { told, bringForeignText: rows[0]?.hasForeignText === false && hasForeignText(told) };
  },
};
